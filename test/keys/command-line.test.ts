import { sqlite } from "../support/engines";
import { startGateway } from "../support/gateway";
import { outcomeOf } from "../support/keys";
import { codeOf, openSession } from "../support/people";
import { runCli, runCliForJson } from "../support/process";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one" }, (gateway) => {
  // The server keeps running while the command line works on its database.
  const run = (...args: string[]) => runCliForJson(gateway.databaseUrl, ...args);
  const say = async (...args: string[]) => (await runCli(gateway.databaseUrl, args)).stdout;
  const create = (name: string, ...more: string[]) =>
    run("keys", "create", "--agent", "first-agent", "--name", name, ...more);

  test("the command line manages a key for its whole life, and the server knows each step", async () => {
    const key = await create("by hand", "--expires-in", "3600");
    expect(Object.keys(key)).toEqual([
      "id",
      "name",
      "agent",
      "hint",
      "createdAt",
      "expiresAt",
      "scopes",
      "description",
      "rateLimitPerMinute",
      "allowedNetworks",
      "secret",
    ]);
    expect(await outcomeOf(gateway, key.secret)).toBe("accepted");
    expect(await run("keys", "rename", key.hint, "renamed by hand")).toMatchObject({
      name: "renamed by hand",
    });
    const next = await run("keys", "rotate", key.id, "--grace", "600");
    expect(await outcomeOf(gateway, key.secret)).toBe("accepted");
    expect(await outcomeOf(gateway, next.secret)).toBe("accepted");
    expect(await run("keys", "revoke", key.hint)).toMatchObject({ id: key.id, state: "revoked" });
    expect(await outcomeOf(gateway, key.secret)).toBe("key_revoked");
    const listed = await run("keys", "list", "--agent", "first-agent", "--state", "revoked");
    expect(listed.map(({ id }: { id: string }) => id)).toContain(key.id);
    expect(JSON.stringify(listed)).not.toContain(key.secret);
  });

  test("an organization is deactivated and reactivated", async () => {
    const { secret } = await create("to switch");
    expect((await run("orgs", "deactivate", "first")).state).toBe("deactivated");
    expect(await outcomeOf(gateway, secret)).toBe("key_not_resolvable");
    expect(await say("orgs", "reactivate", "first")).toBe("first is active.\n");
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
  });

  test("a member is added, gets permissions, and gets another password, which ends the sessions", async () => {
    const member = await run("members", "add", "--org", "first", "--email", "New@Example.com");
    expect(member).toMatchObject({ email: "new@example.com", organization: "first", permissions: [] });
    const token = await openSession(gateway, member);
    const keys = () => gateway.graphql("{ apiKeys { nodes { id } } }", {}, { token });
    expect(codeOf(await keys())).toBe("forbidden");
    await runCli(gateway.databaseUrl, ["members", "permit", "new@example.com", "--manage"]);
    expect(codeOf(await keys())).toBeUndefined();
    const reset = ["members", "reset-password", "new@example.com", "--password-stdin"];
    const { stdout } = await runCli(gateway.databaseUrl, reset, "typed in by hand\n");
    expect(stdout).not.toContain("typed in by hand");
    expect(codeOf(await keys())).toBe("invalid_session");
    expect(await openSession(gateway, { ...member, password: "typed in by hand" })).toMatch(/^ags_/);
  });

  test("lists are tables with headings, and say so if they are empty", async () => {
    const [heading, ...rows] = (await say("keys", "list", "--org", "first")).trimEnd().split("\n");
    expect(heading).toMatch(/^HINT +NAME +AGENT +STATE +CREATED AT/);
    expect(rows.at(-1)).toMatch(/^agk_dev_\w{12} +First key +first-agent +active/);
    expect(await say("keys", "list", "--state", "expired")).toBe("No matching keys.\n");
  });

  test("the audit log can be narrowed by action, actor, target and time", async () => {
    const list = (...args: string[]) => run("audit", "list", "--org", "first", ...args);
    const [signedIn] = await list("--action", "member_signed_in", "--until", "2100-01-01");
    const { actorId, targetId, createdAt } = signedIn;
    const [byBoth, before] = await Promise.all([
      list("--actor", actorId, "--target", targetId, "--since", createdAt),
      list("--actor", actorId, "--until", createdAt),
    ]);
    expect(byBoth).toContainEqual(signedIn);
    expect(before).not.toContainEqual(signedIn);
  });
});

test("wrong usage is rejected in one clear line", async () => {
  const database = await sqlite.createMigratedDatabase();
  const key = ["keys", "create", "--agent", "first-agent", "--name"];
  await (await startGateway(sqlite, { database })).close();
  const rejected = async (args: string[], words: string, expected = 2) => {
    const { code, stdout, stderr } = await runCli(database.url, args);
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr.split("\n")[0]).toContain(words);
    expect(stderr).not.toMatch(/^ +at /m);
  };
  await Promise.all([
    rejected(["keys", "revoke", "agk_dev_nobody"], "There is no API key", 1),
    rejected(["keys", "create", "--agent", "no", "--name", "x"], "There is no agent", 1),
    rejected([...key, " "], "name must not be empty"),
    rejected([...key, "x", "--expires-in", "soon"], "It must be a duration"),
    rejected(["keys", "list", "--state", "lost"], "Allowed choices are active, revoked, expired"),
    rejected(["audit", "list", "--org", "first", "--since", "3600"], "It must be a time"),
  ]);
  await database.drop();
});
