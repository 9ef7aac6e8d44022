import { SCOPES } from "../../src/auth/permissions";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { mint, operator } from "../support/gateway";
import { codeOf, openSession } from "../support/people";
import {
  type Ended,
  endProcesses,
  runCli,
  runCliForJson,
  spawnCli,
  testFailingCommands,
} from "../support/process";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one" }, (gateway) => {
  const cli = (...args: string[]): Promise<Ended> => runCli(gateway.databaseUrl, args);

  const json = (...args: string[]) => runCliForJson(gateway.databaseUrl, ...args);

  const create = (name: string, ...more: string[]) =>
    json("keys", "create", "--agent", "first-agent", "--name", name, ...more);
  const statusOf = async (token: string) => (await gateway.rest("GET", "/agent/whoami", { token })).status;

  // An open connection would keep the processes alive. The process that runs all other commands also waits for
  // connections to close.
  slowTest("the processes of a command that writes and of a rejected command exit", async () => {
    const ended = await Promise.all([
      spawnCli(gateway.databaseUrl, ["keys", "create", "--agent", "first-agent", "--name", "by a process"]),
      spawnCli(gateway.databaseUrl, ["keys", "list"]),
      spawnCli(gateway.databaseUrl, ["keys", "revoke", "unknown"]),
    ]);
    expect(ended.map(({ code, signal }) => [code, signal])).toEqual([
      [0, null],
      [0, null],
      [1, null],
    ]);
  });
  afterEach(endProcesses);

  test("the help of `keys create` lists the scopes of all features", async () => {
    const { stdout } = await cli("keys", "create", "--help");
    expect(stdout.replace(/\s+/g, " ")).toContain(`agent's key: ${[...SCOPES].sort().join(", ")} (all if`);
  });

  test("a key that is created while the server runs works immediately", async () => {
    const key = await create("billing");
    const expected = {
      id: expect.any(String),
      name: "billing",
      agent: "first-agent",
      hint: expect.stringMatching(/^agk_dev_\w{12}$/),
      createdAt: expect.any(String),
      expiresAt: null,
      scopes: null,
      description: null,
      rateLimitPerMinute: null,
      allowedNetworks: null,
      secret: expect.stringContaining(`${key.hint}_`),
    };
    // In this order.
    expect(Object.entries(key)).toEqual(Object.entries(expected));
    const reply = await gateway.rest("GET", "/agent/whoami", { token: key.secret });
    expect(reply.body).toMatchObject({
      agent: { slug: "first-agent" },
      key: { id: key.id, name: "billing" },
    });
  });

  test("nothing in a name or a User-Agent controls the terminal or reverses its text", async () => {
    // As if the name had been stored before such characters were rejected.
    const name = "evil\u009b2J\u202etxt\u200e\u{e0041}";
    const { id, secret } = await mint(gateway);
    await gateway.services.database.write((tx) => tx.update(ApiKey, { id }, { name }));
    await gateway.services.keys.revoke(await operator(gateway), id);
    // Fetch sends header values as bytes; bytes above 127 are read as U+0080 and so on.
    await gateway.rest("GET", "/agent/whoami", { token: secret, headers: { "user-agent": "agent\u009b2J" } });
    await gateway.services.usageRecorder.flush({ all: true });
    const outputs = await Promise.all([
      cli("keys", "list"),
      cli("keys", "list", "--json"),
      cli("audit", "list", "--org", "first", "--target", id, "--json"),
    ]);
    for (const { stdout } of outputs) expect(stdout).toMatch(/^[\n\x20-\x7e]+$/);
    const [, keys, entries] = outputs.map(({ stdout }, i) => (i === 0 ? [] : JSON.parse(stdout)));
    expect(keys.find((key: { id: string }) => key.id === id).name).toBe(name);
    expect(entries[0].userAgent).toBe("agent\u009b2J");
  });

  test("the audit log shows each change and the key's hint", async () => {
    const { id, hint } = await create("before");
    await cli("keys", "rename", id, "after");
    const list = ["audit", "list", "--org", "first", "--target", id, "--action", "api_key_renamed"];
    const [{ stdout }, [entry]] = await Promise.all([cli(...list), json(...list)]);
    expect(stdout).toMatch(
      new RegExp(`api_key_renamed +command line +before +${hint} +name: before -> after `),
    );
    expect(entry).toMatchObject({
      targetHint: hint,
      changes: [{ field: "name", before: "before", after: "after" }],
      detail: null,
    });
  });

  test("the audit log can be narrowed by action, actor, target and time", async () => {
    const list = (...args: string[]) => json("audit", "list", "--org", "first", ...args);
    const [signedIn] = await list("--action", "member_signed_in", "--until", "2100-01-01");
    const { actorId, targetId, createdAt } = signedIn;
    const [byBoth, before] = await Promise.all([
      list("--actor", actorId, "--target", targetId, "--since", createdAt),
      list("--actor", actorId, "--until", createdAt),
    ]);
    expect(byBoth).toContainEqual(signedIn);
    expect(before).not.toContainEqual(signedIn);
  });

  test("a key that is revoked, by its hint, is rejected with 403 on the next request", async () => {
    const key = await create("to revoke");
    expect(await statusOf(key.secret)).toBe(200);
    const { code, stdout } = await cli("keys", "revoke", key.hint);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(`^${key.hint} \\(to revoke\\) was revoked at \\S+\\.\n$`),
    });
    expect(await statusOf(key.secret)).toBe(403);
    // A repeat changes nothing.
    expect(await json("keys", "revoke", key.id)).toMatchObject({ id: key.id, state: "revoked" });
  });

  test("a rotated key is replaced immediately or after its grace period, with the same name", async () => {
    const [old, graced] = await Promise.all([create("to rotate"), create("to rotate with grace")]);
    const [next, nextGraced] = await Promise.all([
      json("keys", "rotate", old.id),
      json("keys", "rotate", graced.hint, "--grace", "60"),
    ]);
    expect(next).toMatchObject({ name: "to rotate", agent: "first-agent", secret: expect.any(String) });
    expect(next.id).not.toBe(old.id);
    expect(await Promise.all([old, next, graced, nextGraced].map(({ secret }) => statusOf(secret)))).toEqual([
      403, 200, 200, 200,
    ]);
  });

  test("a key is renamed by its id or hint", async () => {
    const key = await create("to rename");
    expect(await json("keys", "rename", key.id, "renamed")).toMatchObject({ id: key.id, name: "renamed" });
    const { stdout } = await cli("keys", "rename", key.hint, "renamed again");
    expect(stdout).toBe(`${key.hint} is now called renamed again.\n`);
  });

  test("keys are listed for people and for programs, by agent and state, never with a secret", async () => {
    const key = await create("to list", "--expires-in", "3600");
    expect(Date.parse(key.expiresAt) - Date.now()).toBeGreaterThan(3_500_000);
    await json("keys", "revoke", (await create("to list as revoked")).id);
    const [table, active, none] = await Promise.all([
      cli("keys", "list"),
      json("keys", "list", "--state", "active", "--agent", "first-agent", "--org", "first"),
      cli("keys", "list", "--state", "expired"),
    ]);
    const lines = table.stdout.split("\n");
    expect(lines[0]).toMatch(
      /^HINT +NAME +AGENT +STATE +CREATED AT +EXPIRES AT +REVOKED AT +LAST USED AT +LAST USED IP +RATE LIMIT PER MINUTE +SCOPES +ALLOWED NETWORKS +ID$/,
    );
    // The columns are aligned with their headings.
    const line = lines.find((text) => text.startsWith(key.hint)) ?? "";
    expect(line.indexOf(key.createdAt)).toBe(lines[0]?.indexOf("CREATED AT"));
    expect(line.endsWith(key.id)).toBe(true);
    expect(table.stdout).toMatch(/to list as revoked +first-agent +revoked/);
    expect(active.map(({ state }: { state: string }) => state)).not.toContain("revoked");
    expect(active).toContainEqual(expect.objectContaining({ id: key.id, name: "to list", state: "active" }));
    expect(none.stdout).toBe("No matching keys.\n");
    expect(table.stdout + JSON.stringify(active)).not.toContain(key.secret.slice(-28));
  });

  test("a member is added, gets permissions, and gets another password, which ends the sessions", async () => {
    const member = await json("members", "add", "--org", "first", "--email", "New@Example.com");
    expect(member).toMatchObject({ email: "new@example.com", organization: "first", permissions: [] });
    const token = await openSession(gateway, member);
    const keys = () => gateway.graphql("{ apiKeys { nodes { id } } }", {}, { token });
    expect(codeOf(await keys())).toBe("forbidden");
    await cli("members", "permit", "new@example.com", "--manage");
    expect(codeOf(await keys())).toBeUndefined();
    const reset = ["members", "reset-password", "new@example.com", "--password-stdin"];
    const { stdout } = await runCli(gateway.databaseUrl, reset, "typed in by hand\n");
    expect(stdout).not.toContain("typed in by hand");
    expect(codeOf(await keys())).toBe("invalid_session");
    expect(await openSession(gateway, { ...member, password: "typed in by hand" })).toMatch(/^ags_/);
  });

  const named = (name: string) => ["keys", "create", "--agent", "first-agent", "--name", name];
  testFailingCommands(cli, [
    [1, ["keys", "revoke", "agk_dev_nobody"], "There is no API key"],
    [1, ["keys", "create", "--agent", "no", "--name", "x"], "There is no agent"],
    [2, named(" "), "name must not be empty"],
    [2, [...named("x"), "--expires-in", "soon"], "It must be a duration"],
    [2, ["keys", "list", "--state", "lost"], "Allowed choices are active, revoked, expired"],
    [2, ["audit", "list", "--org", "first", "--since", "3600"], "It must be a time"],
  ]);
});
