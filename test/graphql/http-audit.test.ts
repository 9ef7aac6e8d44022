import { serverAudits } from "graphql-http";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

/** Optional features of the specification that this server rejects on purpose. */
const REJECTED: Readonly<Record<string, string>> = {
  "5A70": "a GET that a page of any origin can send without a preflight is rejected against CSRF",
  D6D5: "as 5A70",
  "6A70": "as 5A70",
};

describe("the audits of GraphQL over HTTP", () => {
  const gateway = suiteGateway(sqlite);
  const counts = { ok: 0, notice: 0, warn: 0, error: 0 };
  afterAll(() => {
    process.stdout.write(`GraphQL over HTTP audits: ${JSON.stringify(counts)}\n`);
  });

  const audits = serverAudits({ url: () => `${gateway.url}/graphql` });

  test("are complete", () => {
    expect(audits.length).toBeGreaterThanOrEqual(61);
  });

  test.each(audits.map(({ id, name, fn }) => ({ id, name, fn })))("$id: $name", async ({ id, fn }) => {
    const result = await fn();
    counts[result.status] += 1;
    const rejected = REJECTED[id] !== undefined;
    expect({ status: result.status, reason: "reason" in result ? result.reason : null }).toEqual({
      status: rejected ? "notice" : "ok",
      reason: rejected ? expect.any(String) : null,
    });
  });
});
