import { withShortTimeouts } from "../support/patient-database";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

/** Statements that end only when they are canceled. */
const ENDLESS = {
  SQLite: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
  PostgreSQL: "SELECT pg_sleep(600)",
};

withShortTimeouts(1);

describeGateway({ engine: "any", env: { DATABASE_POOL_SIZE: "5" } }, (gateway, engine) => {
  const whoami = () => gateway.rest("GET", "/agent/whoami");
  const viewer = () => gateway.graphql("{ viewer { id } }", {}, { token: gateway.owner });

  slowTest(
    "endless reports, many more than connections, do not hold up any key, session, page or write",
    async () => {
      const { database } = gateway.services;
      let ended = 0;
      const reports = Array.from({ length: 30 }, () =>
        database
          .report("an organization", (reader) => reader.query(ENDLESS[engine.name]))
          .finally(() => {
            ended += 1;
          }),
      );
      const outcomes = Promise.allSettled(reports);
      for (let i = 0; i < 5; i++) {
        const add = gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
        const replies = await Promise.all([whoami(), viewer(), gateway.rest("GET", "/v1/pets"), add]);
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
      }
      expect(ended).toBe(0);
      // Each report was either canceled by the database or timed out waiting for a connection.
      const codes = (await outcomes).map((each) => each.status === "rejected" && each.reason.code);
      expect(new Set(codes)).toEqual(new Set(["unavailable"]));
      const next = await database.report("another", (reader) => reader.query("SELECT 1 AS one"));
      expect(next).toEqual([{ one: 1 }]);
    },
  );

  slowTest("an endless lookup and an endless write are canceled, and the next ones run", async () => {
    const { database } = gateway.services;
    const endless = ENDLESS[engine.name]
      .replace("COUNT(*)", "COUNT(*) AS n")
      .replace("(600)", "(600)::text AS n");
    const lookup = { columns: ["n"], row: ([n]: [string]) => n, from: `(${endless}) AS endless`, by: "n" };
    const outcomes = await Promise.allSettled([
      database.lookup(lookup, ["1"]),
      database.write((tx) => tx.query(ENDLESS[engine.name])),
    ]);
    expect(outcomes.map((each) => each.status === "rejected" && each.reason.code)).toEqual([
      "unavailable",
      "unavailable",
    ]);
    const add = gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    expect((await Promise.all([whoami(), add])).map(({ status }) => status)).toEqual([200, 201]);
  });
});
