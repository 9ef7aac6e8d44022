import { mint, operator, type Reply } from "../support/gateway";
import fc, { SEED } from "../support/generated";
import { json } from "../support/hostile-values";
import { addMember, openSession, TEST_PASSWORD } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { graphqlBody } from "./documents";
import { mcpMessage } from "./mcp-messages";
import { expectDiscreet, expectGraphQLAnswer, expectMcpAnswer, expectRestAnswer } from "./oracle";
import { restRequest } from "./rest-requests";

/** Set by `npm run test:fuzz`. */
const MINUTES = Number(process.env.FUZZ_MINUTES ?? 0);
const CASES = cases(300);
/** Three APIs on two engines share the time. */
const MS = (MINUTES * 60_000) / 6;
const run = {
  endOnFailure: MINUTES > 0,
  ...(MINUTES > 0
    ? { numRuns: 1e9, interruptAfterTimeLimit: MS, markInterruptAsFailure: false }
    : { numRuns: CASES }),
};

const CALLERS = ["anonymous", "agent", "member", "manager"] as const;
const restCaller = fc.constantFrom(...CALLERS, ...Array<"agent">(8).fill("agent"));
const graphqlCaller = fc.constantFrom(...CALLERS, "agent", "manager", "manager");

const env = { LOG_LEVEL: "error", REFUSED_KEYS_PER_MINUTE: "0" };

describeGateway({ engine: "any", env }, (gateway, engine) => {
  let tokens: Record<(typeof CALLERS)[number], string | null>;
  let ids: string[];
  let cursors: string[];
  let member: { email: string; password: string };
  const tally = new Map<string, number>();
  let inputs = 0;

  beforeAll(async () => {
    await gateway.services.pets.seed(50);
    member = await addMember(gateway);
    const keys = [await mint(gateway), await mint(gateway), await mint(gateway)];
    const sent = await gateway.rest("POST", "/messages", { body: { message: "hello" } });
    const { id: agentId } = await gateway.services.agents.bySlug("first-agent");
    ids = ["1", "50", sent.body.id, agentId, ...keys.map(({ id }) => id)];
    const { body } = await gateway.graphql("{ pets(first: 5) { edges { cursor } } }");
    cursors = body.data.pets.edges.map(({ cursor }: { cursor: string }) => cursor);
    await renew();
  });
  afterAll(() => {
    const outcomes = [...tally]
      .sort(([, a], [, b]) => b - a)
      .map(([outcome, count]) => `${outcome}: ${count}`);
    if (MINUTES > 0)
      process.stdout.write(`FUZZ ${JSON.stringify({ engine: engine.name, seed: SEED, inputs, outcomes })}\n`);
  });

  /** Restores everything that the inputs may have taken away. */
  async function renew(): Promise<void> {
    await gateway.services.organizations.reactivate(await operator(gateway));
    const open = (who: { email: string; password: string }) => openSession(gateway, who).catch(() => null);
    tokens = {
      anonymous: null,
      agent: gateway.key,
      member: await open({ ...member, password: TEST_PASSWORD }),
      manager: await open(gateway.ownerCredentials),
    };
  }

  /** Checks the conditions that must hold after every input. */
  async function expectUnharmed(reply: Reply, api: string): Promise<void> {
    inputs += 1;
    const code = reply.body?.errors?.[0]?.extensions?.code ?? reply.body?.code;
    const outcome = `${api} ${reply.status}${code === undefined ? "" : ` ${code}`}`;
    tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
    expectDiscreet(reply, gateway);
    let { status } = await gateway.rest("GET", "/agent/whoami");
    // An input may have deactivated the organization, or ended a session.
    if (status === 401 || code === "invalid_session") await renew();
    if (status === 401) ({ status } = await gateway.rest("GET", "/agent/whoami"));
    expect(status).toBe(200);
    expect(gateway.log()).toBe("");
  }

  test(
    "no REST request stops the server or causes a response outside of its contract",
    async () => {
      await fc.assert(
        fc.asyncProperty(restCaller, restRequest, async (who, { method, path, ...call }) => {
          const reply = await gateway.rest(method, path, { token: tokens[who], ...call });
          expectRestAnswer(reply);
          await expectUnharmed(reply, "REST");
        }),
        run,
      );
    },
    MS + 120_000,
  );

  test(
    "no MCP message stops the server or causes an error that is not in the error table",
    async () => {
      await fc.assert(
        fc.asyncProperty(restCaller, mcpMessage(ids), async (who, message) => {
          const reply = await gateway.rest("POST", "/mcp", { token: tokens[who], ...message });
          expectMcpAnswer(reply);
          await expectUnharmed(reply, "MCP");
        }),
        run,
      );
    },
    MS + 120_000,
  );

  test(
    "no GraphQL document stops the server or causes an error that is not in the error table",
    async () => {
      await fc.assert(
        fc.asyncProperty(graphqlCaller, graphqlBody(ids, cursors), async (who, input) => {
          const body = json(input, (digits) => `"${digits}"`);
          const reply = await gateway.graphql("", {}, { token: tokens[who], body });
          expectGraphQLAnswer(reply);
          await expectUnharmed(reply, "GraphQL");
        }),
        run,
      );
    },
    MS + 120_000,
  );
});
