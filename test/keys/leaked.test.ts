import { generateKeyPairSync, sign } from "node:crypto";
import { In } from "typeorm";
import { mintApiKey } from "../../src/credentials/token-format";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { GitHubSignatures } from "../../src/features/leaked-keys/github-signatures";
import { leakedKeyActions } from "../../src/features/leaked-keys/leaked-key.audit";
import { reportsOf } from "../../src/features/leaked-keys/leaked-keys.bodies";
import { auditLog } from "../support/audit";
import { onAnyEngine, type TestDatabase } from "../support/engines";
import { mint, operator, type Reply, startGateway, type TestGateway } from "../support/gateway";
import { outcomeOf } from "../support/keys";
import { MailServer } from "../support/mail-server";
import { storeConnection } from "../support/oauth";
import { addMember, addOrganization, codeOf } from "../support/people";
import { runCli } from "../support/process";
import { Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { waitUntil } from "../support/wait-until";

const pair = (namedCurve: string) =>
  generateKeyPairSync("ec", {
    namedCurve,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });

const known = pair("prime256v1");
const stranger = pair("prime256v1");
const onOtherCurve = pair("secp256k1");

/** A well-formed key that is in no database. */
const UNKNOWN = "agk_live_Qx7mT2bLw9Zk_EXAMPLEexampleEXAMPLE007397E";

const URL_OF_LEAK = "https://github.com/octo/cat/blob/0123/.env#L3";

onAnyEngine((engine) => {
  let database: TestDatabase;
  let gitHub: Receiver;
  let mails: MailServer;
  let gateway: TestGateway;
  let other: TestGateway;

  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
    gitHub = await Receiver.start();
    gitHub.reaction = (response) =>
      response.setHeader("content-type", "application/json").end(
        JSON.stringify({
          public_keys: [
            { key_identifier: "known", key: known.publicKey, is_current: true },
            { key_identifier: "other-curve", key: onOtherCurve.publicKey, is_current: true },
          ],
        }),
      );
    mails = await MailServer.start();
    const env = {
      GITHUB_SECRET_SCANNING_KEYS_URL: gitHub.url(),
      SMTP_URL: `smtp://127.0.0.1:${mails.port}?ignoreTLS=true`,
      MAIL_FROM: "gateway@example.com",
      PUBLIC_URL: "https://gateway.example.com",
      REFUSED_KEYS_PER_MINUTE: "20",
    };
    gateway = await startGateway(engine, { database, env });
    other = await startGateway(engine, { database, env, signInOwner: false });
  });
  afterAll(async () => {
    for (const each of [gateway, other, mails, gitHub]) await each?.close();
    await database.drop();
  });
  // One test's e-mails must not arrive during the next test.
  afterEach(() => gateway.services.leakedKeys.mailed());

  const report = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    gateway.rest("POST", "/leaked-keys", { token: null, body, headers });

  const signed = (
    tokens: readonly unknown[],
    { identifier = "known", key = known.privateKey, algorithm = "sha256", sent = tokens } = {},
  ): Promise<Reply> => {
    const body = JSON.stringify(tokens);
    return report(JSON.stringify(sent), {
      "content-type": "application/json",
      "github-public-key-identifier": identifier,
      "github-public-key-signature": sign(algorithm, Buffer.from(body), key).toString("base64"),
    });
  };
  const found = (token: string) => ({
    token,
    type: "agent_gateway_key",
    url: URL_OF_LEAK,
    source: "content",
  });

  test("anyone who holds a key can revoke it in every process, and the response reveals nothing about the key", async () => {
    const { id, secret } = await mint(gateway);
    expect(await outcomeOf(other, secret)).toBe("accepted");
    const replies = [
      await report({ key: secret }),
      await report({ key: secret }),
      await report({ key: UNKNOWN }),
    ];
    expect(await outcomeOf(other, secret)).toBe("key_revoked");
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [202, "{}"],
      [202, "{}"],
      [202, "{}"],
    ]);
    const { body } = await gateway.graphql(
      "query ($id: ID!) { apiKey(id: $id) { state revokedAt leakedAt } }",
      { id },
      { token: gateway.owner },
    );
    const { revokedAt } = body.data.apiKey;
    expect(body.data.apiKey).toEqual({ state: "revoked", revokedAt, leakedAt: revokedAt });
    expect(revokedAt).not.toBeNull();
  });

  test("a signed report revokes its keys, and managers learn where they were found", async () => {
    const keys = [await mint(gateway, { name: "CI" }), await mint(gateway, { name: "laptop" })];
    await addMember(gateway, { email: "reader@example.com" });
    const before = mails.received.length;
    // More tokens than one query looks up.
    const others = Array.from({ length: 200 }, () => mintApiKey("live"));
    const tokens = [...keys.slice(0, 1), ...others, ...keys, ...keys].map(({ secret }) => found(secret));
    const reply = await signed([...tokens, found(UNKNOWN), found("agk_live_typo"), { token: "ghp_other" }]);
    expect(reply.status).toBe(202);
    for (const { secret } of keys) expect(await outcomeOf(other, secret)).toBe("key_revoked");
    for (const { id, hint } of keys)
      expect(await auditLog(gateway, { targetId: id, action: "api_key_leaked" })).toMatchObject([
        {
          actorKind: "anonymous",
          targetHint: hint,
          changes: [{ field: "url", before: null, after: URL_OF_LEAK }],
        },
      ]);
    const { body } = await gateway.rest("GET", "/agent/events?types=api_key.leaked&limit=100");
    expect(body.map(({ data }: { data: { id: string } }) => data.id)).toEqual(
      expect.arrayContaining(keys.map(({ id }) => id)),
    );
    await waitUntil(() => mails.received.length > before);
    await gateway.services.leakedKeys.mailed();
    const sent = mails.received.slice(before);
    expect(sent.map(({ to }) => to)).toEqual([["owner@example.com"]]);
    expect(sent[0]?.email.subject).toBe("2 leaked API keys of First organization");
    for (const { hint, secret } of keys) {
      expect(sent[0]?.email.text).toContain(`${hint} (`);
      expect(sent[0]?.raw).not.toContain(secret);
    }
    expect(sent[0]?.email.text).toContain(URL_OF_LEAK);
  });

  test.each([
    ["https://example.com/ü", "https://example.com/%C3%BC"],
    ["ftp://example.com/", null],
    ["https://", null],
    // Up to 2,048 characters are stored, which the percent-encoded form exceeds.
    [`https://example.com/${"ü".repeat(500)}`, null],
  ])("of the URL in a report, only a whole http or https URL is stored: %.40s", (url, stored) => {
    expect(reportsOf([{ token: "t", url }])).toEqual([{ token: "t", url: stored }]);
  });

  slowTest("a report of 200 tokens revokes each key once, and a replay changes nothing", async () => {
    const keys: { id: string; secret: string }[] = [];
    for (let i = 0; i < 200; i++) keys.push(await mint(gateway));
    const tokens = keys.map(({ secret }) => found(secret));
    const entries = () =>
      gateway.services.database.read((reader) =>
        reader.countBy(AuditEntry, {
          action: leakedKeyActions.api_key_leaked,
          targetId: In(keys.map(({ id }) => id)),
        }),
      );
    const before = mails.received.length;
    expect((await signed(tokens)).status).toBe(202);
    for (const { secret } of keys) expect(await outcomeOf(other, secret)).toBe("key_revoked");
    expect(await entries()).toBe(200);
    await gateway.services.leakedKeys.mailed();
    expect(mails.received.slice(before).map(({ email }) => email.subject)).toEqual([
      "200 leaked API keys of First organization",
    ]);
    expect((await signed(tokens)).status).toBe(202);
    await gateway.services.leakedKeys.mailed();
    expect([await entries(), mails.received.length]).toEqual([200, before + 1]);
  });

  test("a report revokes keys of all organizations, other environments and deactivated organizations", async () => {
    const slugs = ["leaking", "sleeping"];
    const keys: { secret: string; id: string }[] = [];
    for (const slug of slugs) {
      await addOrganization(gateway, slug);
      keys.push(await mint(gateway, { agent: `${slug}-agent` }));
    }
    await gateway.services.organizations.deactivate(await operator(gateway, "sleeping"));
    expect((await signed(keys.map(({ secret }) => found(secret)))).status).toBe(202);
    for (const { secret } of keys) expect(await outcomeOf(other, secret)).toBe("key_revoked");
  });

  test.each<[string, () => Promise<Reply>, string]>([
    ["no signature", () => report([found(UNKNOWN)]), "invalid_signature"],
    ["the signature of a stranger", () => signed([], { key: stranger.privateKey }), "invalid_signature"],
    ["an unknown identifier", () => signed([], { identifier: "unknown" }), "invalid_signature"],
    ["another hash", () => signed([], { algorithm: "sha512" }), "invalid_signature"],
    [
      "a key on another curve",
      () => signed([], { identifier: "other-curve", key: onOtherCurve.privateKey }),
      "invalid_signature",
    ],
    ["another body than the signed one", () => signed([], { sent: [found(UNKNOWN)] }), "invalid_signature"],
    ["a list of something else", () => signed([17]), "invalid_request"],
    ["a key with a typo", () => report({ key: `${UNKNOWN.slice(0, -1)}X` }), "invalid_request"],
    ["no key", () => report({}), "invalid_request"],
    ["a text", () => report('"agk"'), "invalid_request"],
    ["a body that is not JSON", () => report("["), "invalid_json"],
    [
      "a wrong signature, before it is parsed",
      () =>
        report("[", {
          "content-type": "application/json",
          "github-public-key-identifier": "known",
          "github-public-key-signature": "AAAA",
        }),
      "invalid_signature",
    ],
    ["too large a body", () => report({ key: "a".repeat(16_384) }), "payload_too_large"],
    ["too large a list", () => signed([found("a".repeat(1_048_576))]), "payload_too_large"],
  ])("a report with %s is rejected and revokes nothing", async (_, send, code) => {
    const { secret } = await mint(gateway);
    expect(codeOf(await send())).toBe(code);
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
  });

  test("many unknown keys from an address count as guesses", async () => {
    const asked = await startGateway(engine, { database, env: { REFUSED_KEYS_PER_MINUTE: "2" } });
    const codes = [];
    for (let i = 0; i < 3; i++)
      codes.push(codeOf(await asked.rest("POST", "/leaked-keys", { token: null, body: { key: UNKNOWN } })));
    await asked.close();
    expect(codes).toEqual([undefined, undefined, "too_many_attempts"]);
  });

  test("reports of an application's tokens revoke its key once", async () => {
    const { id: memberId } = await addMember(gateway);
    const [byGitHub, byScanner] = [
      await storeConnection(gateway, { memberId }),
      await storeConnection(gateway, { memberId }),
    ];
    expect((await signed([found(byGitHub.access), found(byGitHub.refresh)])).status).toBe(202);
    const text = `{"access":"${byScanner.access}","refresh":"${byScanner.refresh}"}`;
    const { stdout } = await runCli(gateway.databaseUrl, ["keys", "leaked", "-", "--json"], text);
    expect(JSON.parse(stdout)).toMatchObject([{ id: byScanner.keyId }]);
    for (const [{ keyId }, changes] of [
      [byGitHub, [{ field: "url", before: null, after: URL_OF_LEAK }]],
      [byScanner, []],
    ] as const)
      expect(await auditLog(gateway, { targetId: keyId, action: "api_key_leaked" })).toMatchObject([
        { changes },
      ]);
  });

  test("the command line revokes the keys in a scanner's report", async () => {
    const { secret, id, hint } = await mint(gateway);
    const text = `Finding: KEY=${secret}\nSecret: ${secret}, ${UNKNOWN}; agk_dev_nothing`;
    const { stdout, stderr } = await runCli(gateway.databaseUrl, ["keys", "leaked", "-", "--json"], text);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject([{ id, hint }]);
    expect(await outcomeOf(gateway, secret)).toBe("key_revoked");
    expect(await auditLog(gateway, { targetId: id, action: "api_key_leaked" })).toMatchObject([
      { actorKind: "operator" },
    ]);
    const { secret: next, hint: nextHint } = await mint(gateway);
    const table = await runCli(gateway.databaseUrl, ["keys", "leaked", "-"], next);
    expect(table.stdout).toMatch(new RegExp(`^${nextHint} .* First agent `, "m"));
    const again = await runCli(gateway.databaseUrl, ["keys", "leaked", "-"], secret);
    expect(again).toMatchObject({ code: 0, stdout: "Found 1 key in the file, none active.\n" });
  });
});

describe("GitHub's keys", () => {
  let gitHub: Receiver;
  let now: number;
  let signatures: GitHubSignatures;
  beforeEach(async () => {
    now = 0;
    gitHub = await Receiver.start();
    gitHub.reaction = (response) =>
      response.end(JSON.stringify({ public_keys: [{ key_identifier: "known", key: known.publicKey }] }));
    signatures = new GitHubSignatures({ gitHubKeysUrl: gitHub.url() }, { warn: () => undefined }, () => now);
  });
  afterEach(() => gitHub.close());

  const body = Buffer.from("[]");
  const signature = sign("sha256", body, known.privateKey).toString("base64");
  const isValid = (identifier = "known") => signatures.isValid(identifier, signature, body);

  test("are read once an hour, and once a minute for unknown identifiers", async () => {
    expect(await Promise.all([isValid(), isValid(), isValid("no")])).toEqual([true, true, false]);
    expect(gitHub.received).toHaveLength(1);
    now += 59_000;
    expect([await isValid("no"), gitHub.received.length]).toEqual([false, 1]);
    now += 1_000;
    expect([await isValid("no"), await isValid("no"), gitHub.received.length]).toEqual([false, false, 2]);
    now += 3_600_000;
    expect([await isValid(), await isValid(), gitHub.received.length]).toEqual([true, true, 3]);
  });

  test("outlive failures of their server, and reports wait until they have been read", async () => {
    const { reaction } = gitHub;
    gitHub.reaction = (response) => response.writeHead(500).end();
    await expect(isValid()).rejects.toMatchObject({ code: "unavailable" });
    gitHub.reaction = reaction;
    await expect(isValid()).rejects.toMatchObject({ code: "unavailable" });
    now += 60_000;
    expect(await isValid()).toBe(true);
    gitHub.reaction = (response) => response.end("{}");
    now += 3_600_000;
    expect(await isValid()).toBe(true);
  });
});
