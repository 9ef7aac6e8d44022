import { onAnyEngine, type TestDatabase } from "../support/engines";
import { hammer, type Sample } from "../support/hammer";
import { runCliForJson, secretsIn, startServer, type TestServer } from "../support/process";

/** Min number of requests to each server before and after the key stops working. */
const BEFORE = 60;
const AFTER = 150;

onAnyEngine((engine) => {
  let database: TestDatabase;
  let servers: TestServer[];
  let owner: string;

  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
    const start = () => startServer({ DATABASE_URL: database.url, LOG_LEVEL: "error" });
    servers = [await start(), await start()];
    const { email, password } = secretsIn(servers[0]?.stdout() ?? "") ?? {};
    const signedIn = await ask("mutation ($input: SignInInput!) { signIn(input: $input) { token } }", {
      input: { email, password },
    });
    owner = signedIn.signIn.token;
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  /** Sends a query to the first server. */
  async function ask(query: string, variables: Record<string, unknown> = {}) {
    const response = await fetch(`${servers[0]?.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(owner && { authorization: `Bearer ${owner}` }) },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as {
      data: Record<string, { token: string }>;
      errors?: [];
    };
    expect(errors).toBeUndefined();
    return data as Record<string, { token: string }> & { signIn: { token: string } };
  }

  const mint = (name: string): Promise<{ id: string; hint: string; secret: string }> =>
    runCliForJson(database.url, "keys", "create", "--agent", "first-agent", "--name", name);

  /**
   * Sends many requests to all servers with a key while something ends it.
   * @returns every response, by the time of its request
   */
  async function endWhileHammering(secret: string, end: () => Promise<unknown>) {
    const client = hammer(
      servers.map(({ url }) => url),
      secret,
    );
    await client.warm(BEFORE);
    await end();
    client.turn();
    const samples = await client.finish(AFTER);
    const sent = (when: Sample["sent"]) => samples.filter((sample) => sample.sent === when);
    for (const { url } of servers) {
      const toServer = (when: Sample["sent"]) => sent(when).filter(({ server }) => server === url).length;
      expect(toServer("before")).toBeGreaterThanOrEqual(BEFORE);
      expect(toServer("after")).toBeGreaterThanOrEqual(AFTER);
    }
    return { before: sent("before"), after: sent("after") };
  }

  const outcomes = (samples: Sample[]) =>
    [...new Set(samples.map(({ status, code }) => `${status} ${code ?? "accepted"}`))].sort();

  test("no request sent after the response to a revocation succeeds on any server", async () => {
    const { id, secret } = await mint("revoked by mutation");
    const { before, after } = await endWhileHammering(secret, () =>
      ask("mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { id } }", { id }),
    );
    expect(["200 accepted", "403 key_revoked"]).toEqual(expect.arrayContaining(outcomes(before)));
    expect(outcomes(before)).toContain("200 accepted");
    expect(outcomes(after)).toEqual(["403 key_revoked"]);
  });

  test("no request sent after the command line has revoked a key succeeds on any server", async () => {
    const { hint, secret } = await mint("revoked by command line");
    const { before, after } = await endWhileHammering(secret, () =>
      runCliForJson(database.url, "keys", "revoke", hint),
    );
    expect(["200 accepted", "403 key_revoked"]).toEqual(expect.arrayContaining(outcomes(before)));
    expect(outcomes(after)).toEqual(["403 key_revoked"]);
  });

  test("no request sent after an organization was deactivated succeeds, until it is reactivated", async () => {
    const { secret } = await mint("of a deactivated organization");
    const { before, after } = await endWhileHammering(secret, () =>
      ask("mutation { deactivateOrganization { id } }"),
    );
    expect(["200 accepted", "401 key_not_resolvable"]).toEqual(expect.arrayContaining(outcomes(before)));
    expect(outcomes(after)).toEqual(["401 key_not_resolvable"]);

    await ask("mutation { reactivateOrganization { id } }");
    const client = hammer(
      servers.map(({ url }) => url),
      secret,
    );
    client.turn();
    expect(outcomes(await client.finish(10))).toEqual(["200 accepted"]);
  });
});
