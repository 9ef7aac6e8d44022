import type { ApolloServer } from "@apollo/server";
import pino from "pino";
import { operatorFor, type RequestContext } from "../../src/context";
import { createApollo } from "../../src/graphql/apollo";
import { createSchema } from "../../src/graphql/schema";
import { AnswerBudget } from "../../src/limits/answer-budget";
import { Organization } from "../../src/organizations/organization.entity";
import { Metrics } from "../../src/telemetry/metrics";
import { ATTACKS } from "./attacks";

/** Milliseconds of CPU, those of the garbage collector and the compiler included. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe("a hostile document", () => {
  let apollo: ApolloServer<RequestContext>;
  const refuse = (query: string) =>
    apollo.executeOperation(
      { query },
      {
        // Nothing runs, and others than the anonymous go through all checks.
        contextValue: operatorFor(new Organization()),
      },
    );

  beforeAll(async () => {
    const log = pino({ level: "silent" });
    apollo = createApollo(
      createSchema(),
      { environment: "production", introspection: false },
      log,
      new Metrics().operations,
      { rateLimit: undefined, answers: new AnswerBudget(0) },
    );
    await apollo.start();
    for (let i = 0; i < 3; i++) for (const [, , query] of ATTACKS) await refuse(query);
  });
  afterAll(() => apollo.stop());

  test.each(ATTACKS)("%s takes less than 5 ms to refuse", async (_, __, query) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 200 && least >= 5; i++) least = Math.min(least, await cpuOf(() => refuse(query)));
    expect(least).toBeLessThan(5);
  });
});
