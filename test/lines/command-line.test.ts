import { lineTarget, lineWithCredentials } from "../../src/features/lines/line-target";
import { auditLog } from "../support/audit";
import { INSTANCE_KEY } from "../support/gateway";
import { PUBLIC_URL } from "../support/lines";
import { type Ended, jsonOf, runCli, testFailingCommands } from "../support/process";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one" }, (gateway) => {
  const cliReading = (input: string, ...args: string[]): Promise<Ended> =>
    runCli(gateway.databaseUrl, ["lines", ...args], input, { INSTANCE_KEY });
  const cli = (...args: string[]) => cliReading("", ...args);
  const OF_FIRST = ["--agent", "first-agent"];

  const json = (...args: string[]) => jsonReading("", ...args);
  const jsonReading = (input: string, ...args: string[]) =>
    jsonOf(cliReading(input, ...args, ...OF_FIRST, "--json"));

  test("lines are created, paused, resumed, made the default and archived", async () => {
    const alerts = await json("create", "--name", "alerts", "--rate", "30", "--expire-after", "600");
    expect(alerts).toMatchObject({ name: "alerts", kind: "local", state: "active", isDefault: false });
    expect(alerts).toMatchObject({ ratePerMinute: 30, expireAfterSeconds: 600 });
    expect(await json("pause", "alerts", "--reason", "maintenance")).toMatchObject({
      state: "paused",
      pausedReason: "maintenance",
    });
    expect(await json("resume", alerts.id)).toMatchObject({ state: "active", pausedReason: null });
    expect(await json("set-default", "alerts")).toMatchObject({ isDefault: true });
    expect(await json("archive", "main")).toMatchObject({ state: "archived", isDefault: false });
    expect(await json("list")).toMatchObject([{ name: "alerts" }, { name: "main", state: "archived" }]);
    const { stdout } = await cli("list", ...OF_FIRST);
    expect(stdout).toMatch(/^NAME +KIND +STATE/);
    expect(stdout).toContain("alerts");
    expect((await cli("resume", "main", ...OF_FIRST)).stdout).toBe("The line main is active.\n");
  });

  test("a webhook line is created with a secret that is shown once, changed, and gets a new secret", async () => {
    const made = await json("create", "--name", "hook", "--kind", "webhook", "--url", PUBLIC_URL);
    expect(made).toMatchObject({
      kind: "webhook",
      webhook: { url: PUBLIC_URL, addressKind: "phone" },
      signingSecret: expect.stringMatching(/^whsec_/),
    });
    const url = `${PUBLIC_URL}/v2`;
    const changed = await json(
      ...["update", "hook", "--url", url, "--rate", "30"],
      ...["--opt-out-reply", "Bye.", "--opt-out-word", "Arrêt", "abmelden"],
    );
    expect(changed).toMatchObject({
      webhook: { url },
      ratePerMinute: 30,
      optOutReply: "Bye.",
      optOutWords: ["Arrêt", "abmelden"],
    });
    expect(changed).not.toHaveProperty("signingSecret");
    expect(
      await json(
        ...["update", "hook", "--no-rate", "--no-opt-out-reply", "--no-opt-out-word", "--name", "bridge"],
      ),
    ).toMatchObject({
      name: "bridge",
      ratePerMinute: null,
      optOutReply: null,
      optOutWords: [],
      webhook: { url },
    });
    const rotated = await json("rotate-secret", "bridge");
    expect(rotated).toMatchObject({ secretGeneration: 2, previousSecretUntil: expect.any(String) });
    const { stdout } = await cli("rotate-secret", "bridge", ...OF_FIRST);
    expect(stdout).toMatch(/^The line bridge has a new signing secret\.\nSigning secret: whsec_\S+\n/);
    for (const { signingSecret } of [made, rotated]) expect(stdout).not.toContain(signingSecret);
  });

  test("an e-mail line takes its password from standard input and never prints it", async () => {
    const made = await jsonReading(
      "hunter2\n",
      ...["create", "--name", "mail", "--kind", "email", "--host", "93.184.215.14", "--security", "tls"],
      ...["--user", "mailer", "--password-stdin", "--from", "Anna <anna@example.com>"],
    );
    expect(made).toMatchObject({
      kind: "email",
      address: "anna@example.com",
      email: { host: "93.184.215.14", port: 465, security: "tls", user: "mailer", hasPassword: true },
      signingSecret: null,
    });
    expect(JSON.stringify(made)).not.toContain("hunter2");
    const target = async () => {
      const line = await gateway.services.database.read((reader) => lineWithCredentials(reader, made.id));
      return line && (await lineTarget(line, gateway.services.instanceKey));
    };
    expect(await target()).toMatchObject({ password: "hunter2" });
    await json("update", "mail", "--subject", "Hello", "--when-uncertain", "fail");
    expect(await target()).toMatchObject({ password: "hunter2", subject: "Hello" });
    await jsonReading("another", "update", "mail", "--password-stdin", "--port", "2525");
    expect(await target()).toMatchObject({ password: "another", port: 2525 });
    expect(await json("update", "mail", "--no-user")).toMatchObject({
      email: { user: null, hasPassword: false },
    });
  });

  test("a new instance key pauses exactly the lines that depended on the old one", async () => {
    const hook = await json("create", "--name", "depends", "--kind", "webhook", "--url", PUBLIC_URL);
    const email = "--kind email --host 93.184.215.14 --from a@example.com --user mailer".split(" ");
    await jsonReading("hunter2", "create", "--name", "depends-too", ...email, "--password-stdin");
    const before = await json("list");
    const NEW_KEY = Buffer.alloc(32, "new").toString("base64");
    const cliWith = (key: string, ...args: string[]) =>
      runCli(gateway.databaseUrl, args, "", { INSTANCE_KEY: key });
    const rejected = await cliWith(NEW_KEY, "lines", "rotate-secret", "depends", ...OF_FIRST);
    expect(rejected).toMatchObject({ code: 1, stdout: "" });
    expect(rejected.stderr).toMatch(/^gateway: INSTANCE_KEY is not the key [^\n]+\n$/);

    expect(await cliWith(NEW_KEY, "instance-key", "replace", "--json")).toMatchObject({
      code: 0,
      stdout: '{"replaced":true}\n',
    });
    const after = JSON.parse((await cliWith(NEW_KEY, "lines", "list", ...OF_FIRST, "--json")).stdout);
    const named = (lines: { name: string }[], name: string) => lines.find((line) => line.name === name);
    const pausedReason = "its secrets were lost with the instance key";
    expect(named(after, "depends")).toMatchObject({ state: "paused", pausedReason, secretGeneration: 2 });
    expect(named(after, "depends-too")).toMatchObject({
      state: "paused",
      pausedReason,
      email: { user: "mailer", hasPassword: false },
    });
    expect(named(after, "main")).toEqual(named(before, "main"));
    const [entry] = await auditLog(gateway, { targetId: hook.id });
    expect(entry).toMatchObject({
      action: "line_secrets_lost",
      changes: [{ field: "state", before: "active", after: "paused" }],
    });
    const rotated = await cliWith(NEW_KEY, "lines", "rotate-secret", "depends", ...OF_FIRST, "--json");
    expect(JSON.parse(rotated.stdout)).toMatchObject({ secretGeneration: 3 });
    expect(await cliWith(INSTANCE_KEY, "instance-key", "replace")).toMatchObject({ code: 0 });
  });

  testFailingCommands(cli, [
    [2, ["create", "--name", "x", "--kind", "webhook", ...OF_FIRST], "requires --url"],
    [2, ["create", "--name", "x", "--kind", "webhook", "--url", "http://127.0.0.1/", ...OF_FIRST], "private"],
    [2, ["create", "--name", "x", "--kind", "email", "--host", "93.184.215.14", ...OF_FIRST], "from"],
    [2, ["create", "--name", "x", "--kind", "sms", ...OF_FIRST], "--kind"],
    [2, ["update", "main", "--url", PUBLIC_URL, ...OF_FIRST], "not allowed for local lines"],
    [2, ["create", "--name", "Not A Slug", ...OF_FIRST], "name must be"],
    [1, ["create", "--name", "main", ...OF_FIRST], 'already has a line "main"'],
    [2, ["create", "--name", "fast", "--rate", "0", ...OF_FIRST], "--rate"],
    [1, ["pause", "nowhere", ...OF_FIRST], 'There is no line "nowhere".'],
    [1, ["list", "--agent", "unknown"], 'There is no agent "unknown".'],
    [2, ["list"], "--agent"],
  ]);
});
