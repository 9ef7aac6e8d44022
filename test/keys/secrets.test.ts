import { auditLog } from "../support/audit";
import { openBrowser } from "../support/browser";
import { apiKeyClient, expire } from "../support/keys";
import { addMember, addOrganization, codeOf } from "../support/people";
import { storedText } from "../support/stored-text";
import { describeGateway } from "../support/suite";

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
const CHANGE = "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { id } }";

describeGateway({ engine: "any", env: { LOG_LEVEL: "trace", TRUST_PROXY: "true" } }, (gateway) => {
  const desk = apiKeyClient(gateway);
  /** Every secret that a client has seen or sent, by its description. */
  const secrets: Record<string, string> = {};

  beforeAll(async () => {
    Object.assign(secrets, {
      firstKey: gateway.key,
      ownerSession: gateway.owner,
      ownerPassword: gateway.ownerCredentials.password,
    });
  });

  /** Mints and keeps the secret. */
  async function mint(what: string, input: Record<string, unknown>) {
    const { apiKey, secret } = (await desk.create({ name: what, ...input })).body.data.createApiKey;
    secrets[what] = secret;
    return { id: apiKey.id as string, secret: secret as string };
  }

  async function liveThroughEverything() {
    const used = await mint("used key", {});
    const rotated = await mint("rotated key", {});
    secrets["rotation's key"] = (await desk.rotate(rotated.id, 60)).body.data.rotateApiKey.secret;
    const revoked = await mint("revoked key", {});
    await desk.revoke(revoked.id);
    const expired = await mint("expired key", {});
    await expire(gateway, expired.id);
    await mint("minted twice", { idempotencyKey: "twice" });
    await mint("minted twice", { idempotencyKey: "twice" });
    for (const { secret } of [used, rotated, revoked, expired]) {
      await gateway.rest("GET", "/agent/whoami", { token: secret });
      await gateway.graphql("{ whoami { key { id } } }", {}, { token: secret });
    }
    await memberLife();
  }

  async function memberLife() {
    const member = await addMember(gateway);
    const newPassword = "a brand new password of mine";
    const guess = "a guessed password";
    Object.assign(secrets, { session: member.token, password: member.password, newPassword, guess });
    const input = { email: member.email, password: guess };
    await gateway.graphql(SIGN_IN, { input }, { token: null });
    await gateway.graphql(SIGN_IN, { input: { ...input, email: "unknown@example.com" } }, { token: null });
    // As if someone typed the password into the address field.
    await gateway.graphql(SIGN_IN, { input: { email: guess, password: "x" } }, { token: null });
    const passwords = { currentPassword: member.password, newPassword };
    await gateway.graphql(CHANGE, { input: { ...passwords, newPassword: "short" } }, { token: member.token });
    await gateway.graphql(CHANGE, { input: passwords }, { token: member.token });
    await gateway.graphql("mutation { signOut { wasActive } }", {}, { token: member.token });
    const browser = openBrowser(gateway);
    await browser.signIn({ email: member.email, password: newPassword });
    secrets["session of a browser"] = browser.cookie()?.split("=")[1] ?? "";
    await browser.ask("{ viewer { id } }");
    const other = await addOrganization(gateway, "another");
    secrets["other session"] = other.manager.token;
  }

  /**
   * Presents a secret wherever it does not belong.
   * @returns the responses
   */
  async function misplace(secret: string): Promise<string> {
    const quoted = JSON.stringify(secret);
    const owner = { token: gateway.owner };
    const headers = (extra: Record<string, string>) =>
      gateway.graphql("{ apiKeys(first: 1) { nodes { id } } }", {}, { ...owner, headers: extra });
    const dead = (extra: Record<string, string>) =>
      gateway.rest("GET", "/v1/pets", { token: secrets["revoked key"], headers: extra });
    const existing = (await desk.list({ state: "active" })).body.data.apiKeys.nodes[0].id;
    const replies = [
      await desk.create({ name: secret }),
      await desk.create({ name: `key ${secret} (old)` }),
      await desk.update(existing, { name: secret }),
      await desk.create({ name: `keyed ${Math.random()}`, idempotencyKey: secret }),
      await desk.find(secret),
      await desk.revoke(secret),
      await desk.list({ agentId: secret, after: secret }),
      await desk.list({ state: secret }),
      await gateway.graphql(`{ ${secret} }`, {}, owner),
      await gateway.graphql(`{ apiKey(id: ${quoted}, nope: ${quoted}) { id } } ${secret} {`, {}, owner),
      await gateway.graphql(SIGN_IN, { input: { email: secret, password: secret } }, { token: null }),
      await gateway.rest("GET", `/v1/pets/${secret}?limit=${secret}&status=${secret}`),
      await gateway.rest("GET", `/${secret}?key=${secret}`, { token: null }),
      await gateway.rest("POST", "/v1/pets", { body: `{"name": ${quoted}, ${secret}` }),
      await gateway.rest("POST", "/v1/pets", { body: { name: 1, [secret]: secret } }),
      await gateway.rest("POST", "/messages", { body: { message: [secret] } }),
      await gateway.rest("GET", "/v1/pets", { token: `${secret}x` }),
      await gateway.rest("GET", "/v1/pets", { token: null, headers: { authorization: `Basic ${secret}` } }),
      await gateway.rest("GET", "/v1/pets", { token: null, headers: { authorization: secret } }),
    ];
    for (const name of ["user-agent", "x-request-id", "cookie", "x-api-key", "x-forwarded-for", "referer"]) {
      replies.push(await headers({ [name]: secret }), await dead({ [name]: secret }));
      await gateway.graphql(
        "mutation { reactivateOrganization { id } }",
        {},
        { ...owner, headers: { [name]: secret } },
      );
      await desk.create({ name: `from ${name} ${Math.random()}` }, { headers: { [name]: secret } });
    }
    return replies.map(({ text, headers }) => text + JSON.stringify([...headers])).join("\n");
  }

  /** Causes statements with hashes and values derived from secrets to fail. */
  async function breakTables() {
    const rename = (from: string, to: string) =>
      gateway.services.database.write((tx) => tx.query(`ALTER TABLE ${from} RENAME TO ${to}`));
    const codes: (string | undefined)[] = [];
    for (const table of ["audit_entry", "session", "api_key", "sign_in_throttle"]) {
      await rename(table, "away");
      codes.push(codeOf(await gateway.rest("GET", "/agent/whoami")));
      codes.push(codeOf(await desk.create({ name: "never" })));
      codes.push(
        codeOf(await gateway.graphql(SIGN_IN, { input: gateway.ownerCredentials }, { token: null })),
      );
      await rename("away", table);
    }
    expect(codes).toContain("internal_error");
  }

  test("no secret, password or session token is in the database, the log or the audit log", async () => {
    await liveThroughEverything();
    const answers: string[] = [];
    for (const what of ["used key", "revoked key", "ownerSession"])
      answers.push(await misplace(secrets[what] ?? ""));
    for (const secret of Object.values(secrets)) expect(answers.join("\n")).not.toContain(secret);
    await breakTables();
    await gateway.services.usageRecorder.flush({ all: true });

    const places = {
      database: await storedText(gateway.databaseUrl),
      log: gateway.log(),
      audit: JSON.stringify(await auditLog(gateway)),
    };
    // The places contain traces of the actions, so a secret in them would be found.
    expect(places.database).toContain("rotated key");
    expect(places.log).toContain("internal_error");
    expect(places.audit).toContain("api_key_refused");
    const found = Object.entries(places).flatMap(([place, text]) =>
      Object.entries(secrets)
        .filter(([, secret]) => text.includes(secret) || text.includes(randomPartOf(secret)))
        .map(([what]) => `${what} in the ${place}`),
    );
    expect(found).toEqual([]);
    expect(places.log).not.toMatch(/\$argon2id\$/);
    expect(places.log).not.toMatch(/\b[0-9a-f]{64}\b/);
  });

  /** Returns the part that must not appear anywhere, even if the rest of a token is cut off. */
  const randomPartOf = (secret: string) => (/^ag[ks]_/.test(secret) ? secret.slice(-28, -6) : secret);
});
