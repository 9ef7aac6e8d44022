import { mint, operator } from "../support/gateway";
import { apiKeyClient, expire } from "../support/keys";
import { codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

interface Listed {
  id: string;
}

describeGateway({ engine: "any" }, (gateway) => {
  const desk = apiKeyClient(gateway);
  let agentId: string;
  /** Names, oldest first. */
  let minted: string[];
  const STATES = ["active", "revoked", "expired", "active", "revoked", "expired", "active"];

  beforeAll(async () => {
    const agent = { slug: "listed-agent", name: "Listed" };
    agentId = (await gateway.services.agents.create(await operator(gateway), agent)).id;
    minted = [];
    for (const state of STATES) {
      const { id } = await mint(gateway, { agent: "listed-agent" });
      if (state === "revoked") await desk.revoke(id);
      if (state === "expired") await expire(gateway, id);
      minted.push(id);
    }
  });

  const page = async (variables: Record<string, unknown> = {}) =>
    (await desk.list({ agentId, ...variables })).body.data.apiKeys;
  const ids = ({ nodes }: { nodes: Listed[] }) => nodes.map(({ id }) => id);

  test("keys are listed newest first", async () => {
    expect(ids(await page())).toEqual([...minted].reverse());
  });

  test("pages continue without gaps or repeats, even while keys are added", async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { edges, pageInfo } = await page({ first: 3, after });
      seen.push(...edges.map(({ node }: { node: Listed }) => node.id));
      expect(pageInfo.startCursor).toBe(edges[0].cursor);
      expect(pageInfo.endCursor).toBe(edges.at(-1).cursor);
      expect(pageInfo.hasPreviousPage).toBe(after !== null);
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      const { id } = await mint(gateway, { agent: "listed-agent" });
      minted = [...minted, id];
    } while (after !== null);
    expect(seen).toEqual(minted.slice(0, STATES.length).reverse());
  });

  test("the list can be limited to an agent", async () => {
    const first = await page({ agentId: await firstAgentId(gateway), first: 100 });
    expect(first.nodes.map(({ agent }: { agent: { slug: string } }) => agent.slug)).toEqual(["first-agent"]);
    for (const unknown of ["018f0000-0000-7000-8000-000000000000", "no id", "\0"]) {
      expect((await page({ agentId: unknown })).nodes).toEqual([]);
    }
  });

  test.each(["revoked", "expired"])("the list can be limited to keys that are %s", async (state) => {
    const expected = minted.filter((_, i) => STATES[i] === state).reverse();
    const { nodes } = await page({ state });
    expect(ids({ nodes })).toEqual(expected);
    expect(nodes.every((node: { state: string }) => node.state === state)).toBe(true);
  });

  test("active keys are all keys that are neither revoked nor expired", async () => {
    const dead = new Set(minted.filter((_, i) => ["revoked", "expired"].includes(STATES[i] ?? "")));
    expect(ids(await page({ state: "active" }))).toEqual(minted.filter((id) => !dead.has(id)).reverse());
  });

  test("a page contains 1 to 100 keys and starts after a cursor of this list", async () => {
    for (const first of [0, -1, 101]) {
      expect(codeOf(await desk.list({ first }))).toBe("invalid_request");
    }
    const { body } = await gateway.graphql(
      'mutation { createPet(input: {name: "a", categoryId: 1}) { id } }',
    );
    expect(body.errors).toBeUndefined();
    const pets = await gateway.graphql("{ pets { pageInfo { endCursor } } }");
    for (const after of ["", "garbage", pets.body.data.pets.pageInfo.endCursor]) {
      expect(codeOf(await desk.list({ after }))).toBe("invalid_cursor");
    }
  });
});
