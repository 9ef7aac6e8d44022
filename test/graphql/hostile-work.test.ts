import { Session } from "node:inspector/promises";
import type { ApolloServer } from "@apollo/server";
import pino from "pino";
import { operatorFor, type RequestContext } from "../../src/auth/context";
import { Organization } from "../../src/features/organizations/organization.entity";
import { createSchema } from "../../src/graphql/schema";
import { createGraphQL } from "../../src/graphql/server";
import { ResponseBudget } from "../../src/rate-limits/response-budget";
import { Metrics } from "../../src/telemetry/metrics";
import { ATTACKS } from "./attacks";

/** Two to three times as much as the most expensive rejection, and far less than the millions without limits. */
const MAX_BLOCKS = 100_000;

/** Returns how often code blocks ran (functions, branches and loop bodies), as counted by V8. */
async function blocksRunBy(session: Session, work: () => Promise<unknown>): Promise<number> {
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0);
}

describe("a hostile document", () => {
  const session = new Session();
  let apollo: ApolloServer<RequestContext>;
  const reject = (query: string) =>
    apollo.executeOperation(
      { query },
      {
        // No document runs, and documents of callers with a credential go through all checks.
        contextValue: operatorFor(new Organization()),
      },
    );

  beforeAll(async () => {
    const log = pino({ level: "silent" });
    ({ apollo } = createGraphQL(
      createSchema(),
      { environment: "production", introspection: false },
      log,
      new Metrics().operations,
      { rateLimit: () => undefined, responses: new ResponseBudget(0) },
    ));
    await apollo.start();
    // Data that is created only once is not part of a document's work.
    for (const [, , query] of ATTACKS) await reject(query);
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  });
  afterAll(async () => {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
    await apollo.stop();
  });

  test.each(ATTACKS)("%s takes little work to reject", async (_, __, query) => {
    expect(await blocksRunBy(session, () => reject(query))).toBeLessThan(MAX_BLOCKS);
  });
});
