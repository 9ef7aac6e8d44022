import { generateKeyPairSync, sign } from "node:crypto";
import { onAnyEngine, type TestDatabase } from "../support/engines";
import { secretsIn, startServer, type TestServer } from "../support/process";
import { Receiver } from "../support/receiver";

/** Number of reports on each database. */
const REPORTS = 50;

interface Answer {
  signIn: { token: string };
  agents: { id: string }[];
  createApiKey: { secret: string };
}

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
    const signIn = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
    owner = (await ask(signIn, { input: { email, password } })).signIn.token;
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await gitHub.close();
    await database.drop();
  });

  const post = (url: string, body: string, headers: Record<string, string>) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

  async function ask(query: string, variables: Record<string, unknown> = {}) {
    const headers: Record<string, string> = owner ? { authorization: `Bearer ${owner}` } : {};
    const response = await post(`${servers[0]?.url}/graphql`, JSON.stringify({ query, variables }), headers);
    const { data, errors } = (await response.json()) as { data: Answer; errors?: object[] };
    expect(errors).toBeUndefined();
    return data;
  }

  test("a signed report revokes its key before the next request to another process", async () => {
    const { agents } = await ask("{ agents { id } }");
    const create =
      "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }";
    const outcomes: Record<string, number> = {};
    for (let i = 0; i < REPORTS; i++) {
      // The two servers take turns.
      const [reported, other] = (i % 2 === 0 ? servers : servers.toReversed()) as [TestServer, TestServer];
      const input = { agentId: agents[0]?.id, name: `leaked ${i}` };
      const { secret } = (await ask(create, { input })).createApiKey;
      const outcome = async () => {
        const headers = { authorization: `Bearer ${secret}` };
        const response = await fetch(`${other.url}/agent/whoami`, { headers });
        const { code = "accepted" } = (await response.json()) as { code?: string };
        return `${response.status} ${code}`;
      };
      const before = await outcome();
      const body = JSON.stringify([{ token: secret, type: "agent_gateway_key", url: "", source: "content" }]);
      const { status } = await post(`${reported.url}/leaked-keys`, body, {
        "github-public-key-identifier": "known",
        "github-public-key-signature": sign("sha256", Buffer.from(body), privateKey).toString("base64"),
      });
      const seen = [before, status, await outcome()].join(", ");
      outcomes[seen] = (outcomes[seen] ?? 0) + 1;
    }
    expect(outcomes).toEqual({ "200 accepted, 202, 403 key_revoked": REPORTS });
  });
});
