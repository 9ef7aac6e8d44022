import { generateKeyPairSync, sign } from "node:crypto";
import { onAnyEngine, type TestDatabase } from "../support/engines";
import { hammer, type Sample } from "../support/hammer";
import { runCliForJson, secretsIn, startServer, type TestServer } from "../support/process";
import { Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";

/** Min number of requests to each server before and after the key stops working. */
const BEFORE = 60;
const AFTER = 150;
const REPORTS = 20;

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

onAnyEngine((engine) => {
  let database: TestDatabase;
  let gitHub: Receiver;
  let servers: TestServer[];
  let owner: string;

  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
    gitHub = await Receiver.start();
    const list = {
      public_keys: [{ key_identifier: "known", key: publicKey.export({ type: "spki", format: "pem" }) }],
    };
    gitHub.reaction = (response) => response.end(JSON.stringify(list));
    const start = () =>
      startServer({
        DATABASE_URL: database.url,
        LOG_LEVEL: "error",
        GITHUB_SECRET_SCANNING_KEYS_URL: gitHub.url(),
      });
    servers = [await start(), await start()];
    const { email, password } = secretsIn(servers[0]?.stdout() ?? "") ?? {};
    const signedIn = await ask("mutation ($input: SignInInput!) { signIn(input: $input) { token } }", {
      input: { email, password },
    });
    owner = signedIn.signIn.token;
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await gitHub.close();
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

  slowTest("a signed report revokes its key before the next request to another process", async () => {
    const seen: string[] = [];
    for (let i = 0; i < REPORTS; i++) {
      // The two servers take turns.
      const [reported, other] = (i % 2 === 0 ? servers : servers.toReversed()) as [TestServer, TestServer];
      const { secret } = await mint(`leaked ${i}`);
      const outcome = async () => {
        const headers = { authorization: `Bearer ${secret}` };
        const response = await fetch(`${other.url}/agent/whoami`, { headers });
        const { code = "accepted" } = (await response.json()) as { code?: string };
        return `${response.status} ${code}`;
      };
      const before = await outcome();
      const body = JSON.stringify([{ token: secret, type: "agent_gateway_key", url: "", source: "content" }]);
      const { status } = await fetch(`${reported.url}/leaked-keys`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "github-public-key-identifier": "known",
          "github-public-key-signature": sign("sha256", Buffer.from(body), privateKey).toString("base64"),
        },
        body,
      });
      seen.push([before, status, await outcome()].join(", "));
    }
    expect(seen).toEqual(Array(REPORTS).fill("200 accepted, 202, 403 key_revoked"));
  });
});
