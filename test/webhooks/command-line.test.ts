import { EVENT_TYPES } from "../../src/features/events/event-types";
import { auditLog } from "../support/audit";
import { closedAfterEach } from "../support/closing";
import { INSTANCE_KEY } from "../support/gateway";
import { PUBLIC_URL } from "../support/lines";
import { firstAgentId } from "../support/people";
import { jsonOf, runCli, testFailingCommands } from "../support/process";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";
import { addEvents } from "../support/webhooks";

describeGateway({ engine: "one", env: { ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } }, (gateway) => {
  const keep = closedAfterEach();
  const OF_FIRST = ["--org", "first"];
  const cliWith = (key: string, ...args: string[]) =>
    runCli(gateway.databaseUrl, args, "", { INSTANCE_KEY: key, ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" });
  const cli = (...args: string[]) => cliWith(INSTANCE_KEY, "webhooks", ...args);
  const json = (...args: string[]) => jsonOf(cli(...args, ...OF_FIRST, "--json"));

  test("endpoints are created with a secret that is shown once, listed, changed, disabled and deleted", async () => {
    const agentId = await firstAgentId(gateway);
    const made = await json(
      ...["create", "--url", PUBLIC_URL, "--agent", "first-agent"],
      ...["--types", "line.paused, message.sent", "--description", "CRM"],
    );
    expect(made).toMatchObject({
      ...{ agentId, url: PUBLIC_URL, types: ["line.paused", "message.sent"], description: "CRM" },
      ...{ state: "active", signingSecret: expect.stringMatching(/^whsec_/) },
    });
    const { id } = made;
    const changed = await json("update", id, "--url", `${PUBLIC_URL}/v2`, "--no-types", "--no-description");
    expect(changed).toMatchObject({ url: `${PUBLIC_URL}/v2`, types: null, description: null });
    expect(await json("disable", id)).toMatchObject({ state: "disabled", disabledReason: "requested" });
    expect(await json("list")).toMatchObject([{ id, state: "disabled" }]);
    const { stdout: table } = await cli("list", ...OF_FIRST);
    expect(table).toMatch(/^URL +STATE +REASON/);
    expect((await cli("enable", id, ...OF_FIRST)).stdout).toBe(`The webhook endpoint ${id} is active.\n`);
    const { stdout } = await cli("rotate-secret", id, ...OF_FIRST);
    expect(stdout).toMatch(/has a new signing secret\.\nSigning secret: whsec_\S+\n/);
    expect(stdout).not.toContain(made.signingSecret);
    expect(await json("rotate-secret", id, "--yes")).toMatchObject({ secretGeneration: 3 });
    await json("delete", id, "--yes");
    expect(await json("list")).toEqual([]);
  });

  test("event types have the same names as in webhooks", async () => {
    const types = [...EVENT_TYPES.keys()];
    const made = await json("create", "--url", PUBLIC_URL, "--types", types.join());
    expect(made.types.toSorted()).toEqual(types.toSorted());
    await json("delete", made.id, "--yes");
  });

  test("deliveries are listed, events delivered again, and a test event shows its result", async () => {
    const receiver = await keep(Receiver.start());
    const agentId = await firstAgentId(gateway);
    const { id } = await json("create", "--url", receiver.url());
    await addEvents(gateway, agentId, ["one", "two", "three"]);
    const stop = gateway.services.webhookDispatcher.start();
    for (let rows: unknown[] = []; rows.length < 3; ) rows = await json("deliveries", id);
    await stop();
    const page = await cli("deliveries", id, "--limit", "2", ...OF_FIRST);
    expect(page.stdout).toMatch(/^POSITION +TYPE +STATE/);
    expect(page.stderr).toMatch(/^There are more items\. Add --after \S+ for the next 2, or --all\.\n$/);
    expect(await json("deliveries", id, "--state", "failed")).toEqual([]);
    expect(await json("deliveries", id, "--type", "line.paused", "--all")).toHaveLength(3);
    expect(await json("redeliver", id, "--since", "1d")).toMatchObject({ id, state: "active" });
    expect(await json("test", id)).toMatchObject({ outcome: "accepted", status: 200, code: null });
    receiver.reaction = (response) => response.writeHead(503).end();
    const failed = await cli("test", id, ...OF_FIRST);
    expect(failed).toMatchObject({
      code: 1,
      stdout: "The receiver responded with 503. (retryable, http_503)\n",
    });
    await json("delete", id, "--yes");
  });

  test("a position is rejected for an endpoint of all agents, with the name of its option", async () => {
    const { id } = await json("create", "--url", PUBLIC_URL);
    const { code, stderr } = await cli("redeliver", id, "--after", "1", ...OF_FIRST);
    expect([code, stderr]).toEqual([2, "gateway: --after is allowed only for endpoints of a single agent\n"]);
    await json("delete", id, "--yes");
  });

  test("a new instance key disables the endpoints until they get a new secret and are enabled", async () => {
    const { id } = await json("create", "--url", PUBLIC_URL);
    const NEW_KEY = Buffer.alloc(32, "new").toString("base64");
    expect(await cliWith(NEW_KEY, "instance-key", "replace")).toMatchObject({ code: 0 });
    const listed = JSON.parse((await cliWith(NEW_KEY, "webhooks", "list", ...OF_FIRST, "--json")).stdout);
    expect(listed).toMatchObject([{ state: "disabled", disabledReason: "secret_lost", secretGeneration: 2 }]);
    const [entry] = await auditLog(gateway, { targetId: id });
    expect(entry).toMatchObject({
      action: "webhook_endpoint_secret_lost",
      changes: [{ field: "state", before: "active", after: "disabled" }],
    });
    const withNew = (command: string) => cliWith(NEW_KEY, "webhooks", command, id, ...OF_FIRST);
    const rejected = await withNew("enable");
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining("Rotate it first")]);
    expect(await withNew("rotate-secret")).toMatchObject({ code: 0 });
    expect(await withNew("enable")).toMatchObject({ code: 0 });
    expect(await cliWith(INSTANCE_KEY, "instance-key", "replace")).toMatchObject({ code: 0 });
    await json("delete", id, "--yes");
  });

  const ID = "01a1fcd2-254e-77bb-8319-2e26d1494ad2";
  testFailingCommands(cli, [
    [2, ["create", ...OF_FIRST], "--url"],
    [2, ["create", "--url", "http://10.0.0.1/", ...OF_FIRST], "gateway: --url "],
    [
      2,
      ["create", "--url", PUBLIC_URL, "--types", "no.such", ...OF_FIRST],
      "gateway: --types must be one of ",
    ],
    [2, ["create", "--url", PUBLIC_URL, "--types", "", ...OF_FIRST], "The list must not be empty."],
    [2, ["deliveries", ID, "--type", "no.such", ...OF_FIRST], "gateway: --type must be one of "],
    [2, ["redeliver", ID, ...OF_FIRST], "gateway: Exactly one of --since and --after is required."],
    [
      2,
      ["redeliver", ID, "--since", "1d", "--after", "1", ...OF_FIRST],
      "gateway: Exactly one of --since and --after",
    ],
    [1, ["create", "--url", PUBLIC_URL, "--agent", "unknown", ...OF_FIRST], 'There is no agent "unknown".'],
    [1, ["enable", ID, ...OF_FIRST], "The webhook endpoint does not exist."],
    [1, ["deliveries", ID, ...OF_FIRST], "The webhook endpoint does not exist."],
    [1, ["list", "--org", "unknown"], 'There is no organization "unknown".'],
    [2, ["list"], "--org"],
  ]);
});
