import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  beforeAll(async () => {
    await gateway.services.pets.seed(1000);
  });

  const add = () =>
    gateway.rest("POST", "/v1/pets", { body: { name: "Late", categoryId: 1, status: "sold" } });

  /**
   * Follows `Link: …; rel="next"` to the end.
   * @returns the names of each page
   */
  async function walk(start: string, between = async () => {}): Promise<string[][]> {
    const pages: string[][] = [];
    let path: string | undefined = start;
    while (path !== undefined) {
      const reply = await gateway.rest("GET", path);
      pages.push(reply.body.map(({ name }: { name: string }) => name));
      path = /^<([^>]+)>; rel="next"$/.exec(reply.headers.get("link") ?? "")?.[1];
      await between();
    }
    return pages;
  }

  const seeded = (pages: string[][]) => pages.flat().filter((name) => name !== "Late");
  const all = Array.from({ length: 1000 }, (_, i) => `Pet ${i + 1}`);

  test("a REST client that follows the links sees each pet once, in order, while others are added", async () => {
    const pages = await walk("/v1/pets?limit=100", async () => void (await add()));
    expect(seeded(pages)).toEqual(all);
  });

  test("a list has 20 pets by default, and keeps its filter on the next page", async () => {
    const pages = await walk("/v1/pets?status=pending");
    expect(pages[0]).toHaveLength(20);
    expect(seeded(pages)).toEqual(all.filter((_, i) => i % 4 === 1));
  });

  test("the last page has no link", async () => {
    const pages = await walk("/v1/pets?status=available&limit=50");
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 50, 50, 50]);
  });

  test("a GraphQL client that follows endCursor sees each pet once, in order", async () => {
    const names: string[] = [];
    let after: string | null = null;
    do {
      const { body } = await gateway.graphql(
        "query ($after: String) { pets(first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } } }",
        { after },
      );
      names.push(...body.data.pets.nodes.map(({ name }: { name: string }) => name));
      after = body.data.pets.pageInfo.hasNextPage ? body.data.pets.pageInfo.endCursor : null;
    } while (after !== null);
    expect(names.filter((name) => name !== "Late")).toEqual(all);
  });

  test("edges contain the cursor of their node, and pageInfo contains the cursors of both ends", async () => {
    const { body } = await gateway.graphql(
      "{ pets(first: 2) { edges { cursor node { name } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }",
    );
    const [first, second] = body.data.pets.edges;
    expect(body.data.pets.pageInfo).toEqual({
      startCursor: first.cursor,
      endCursor: second.cursor,
      hasNextPage: true,
      hasPreviousPage: false,
    });
    const next = await gateway.graphql(
      "query ($after: String) { pets(first: 1, after: $after) { nodes { name } pageInfo { hasPreviousPage } } }",
      { after: second.cursor },
    );
    expect(next.body.data.pets).toEqual({ nodes: [{ name: "Pet 3" }], pageInfo: { hasPreviousPage: true } });
  });

  test("many clients that concurrently request the same and different pages each get the right one", async () => {
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        gateway.rest("GET", `/v1/pets?limit=${(i % 3) + 1}&status=available`),
      ),
    );
    expect(replies.map(({ body }) => body.length)).toEqual(Array.from({ length: 60 }, (_, i) => (i % 3) + 1));
  });
});
