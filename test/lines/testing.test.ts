import { Webhook } from "standardwebhooks";
import { AttemptOutcome } from "../../src/delivery/driver";
import { auditLog } from "../support/audit";
import { closedAfterEach } from "../support/closing";
import { postgres } from "../support/engines";
import { INSTANCE_KEY, operator } from "../support/gateway";
import { lineClient } from "../support/lines";
import { MailServer } from "../support/mail-server";
import { addOrganization, codeOf, firstAgentId } from "../support/people";
import { endProcesses, runCli, spawnCli } from "../support/process";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";
import { withResolver } from "../support/wait-until";

const ALLOWED = { ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };
const TEST =
  "mutation ($id: ID!, $to: String) { testLine(input: { id: $id, to: $to }) { outcome code detail } }" as const;

describeGateway({ engine: "one", env: ALLOWED }, (gateway, engine) => {
  const keep = closedAfterEach();
  let receiver: Receiver;
  let organizations = 0;
  beforeEach(async () => {
    receiver = await keep(Receiver.start());
  });
  afterEach(endProcesses);

  /** Adds a line to a new organization, which has not tested any line yet. */
  async function newLine(input: object) {
    const { agentId, manager } = await addOrganization(gateway, `tester-${++organizations}`);
    const reply = await lineClient(gateway).create(
      { agentId, name: "tested", ...input },
      { token: manager.token },
    );
    const { line, signingSecret } = reply.body.data.createLine;
    const test = (to?: string) => gateway.graphql(TEST, { id: line.id, to }, { token: manager.token });
    return {
      id: line.id as string,
      signingSecret: signingSecret as string,
      agentId,
      token: manager.token,
      test,
    };
  }
  const webhook = () => ({ settings: { webhook: { url: receiver.url() } } });
  const resultOf = (reply: Awaited<ReturnType<typeof gateway.graphql>>) => reply.body.data.testLine;

  test("a webhook gets one signed message, with or without an address, and its response is reported", async () => {
    const line = await newLine(webhook());
    expect(resultOf(await line.test("+41 44 668 18 00"))).toEqual({
      outcome: "accepted",
      code: null,
      detail: "The receiver accepted the message.",
    });
    const { body, headers } = receiver.onlyRequest();
    const message = new Webhook(line.signingSecret).verify(body, headers);
    expect(message).toMatchObject({
      id: headers["webhook-id"],
      to: "+41446681800",
      text: 'This is a test of the line "tested".',
      conversationId: null,
    });
    receiver.reaction = (response) => response.end('{"delivered":true}');
    expect(resultOf(await line.test()).detail).toContain("reported it as delivered");
    expect(JSON.parse(receiver.received[1]?.body ?? "")).toMatchObject({ to: null });
    receiver.reaction = (response) => response.writeHead(503).end("out of order");
    expect(resultOf(await line.test())).toEqual({
      outcome: "retryable",
      code: "http_503",
      detail: "The receiver responded with 503: out of order",
    });
    const entries = await gateway.graphql(
      "query ($id: ID) { auditLog(targetId: $id) { nodes { action } } }",
      { id: line.id },
      { token: line.token },
    );
    expect(entries.body.data.auditLog.nodes.map(({ action }: { action: string }) => action)).toEqual([
      ...["line_tested", "line_tested", "line_tested", "line_created"],
    ]);
    const messages = await gateway.rows.query("select 1 from message");
    expect(messages).toEqual([]);
  });

  test("after a rotation, either secret verifies the message", async () => {
    const line = await newLine(webhook());
    const reply = await lineClient(gateway).rotateSecret(line.id, { token: line.token });
    await line.test();
    const { body, headers } = receiver.onlyRequest();
    for (const secret of [line.signingSecret, reply.body.data.rotateLineSecret.signingSecret])
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "message" });
  });

  test("a mail server gets one message with the line's login and sender", async () => {
    const passwords: unknown[] = [];
    const server = await keep(
      MailServer.start({
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _, callback) => {
          passwords.push(password);
          if (password === "hunter2") callback(null, { user: username });
          else callback(new Error("wrong"));
        },
      }),
    );
    const line = await newLine({
      settings: {
        email: {
          ...{
            host: "127.0.0.1",
            port: server.port,
            security: "none",
            user: "mailer",
            password: "hunter2",
          },
          ...{ from: "Acme <acme@example.com>", subject: "Hello" },
        },
      },
    });
    expect(codeOf(await line.test())).toBe("invalid_request");
    expect(codeOf(await line.test("nobody"))).toBe("invalid_request");
    expect(resultOf(await line.test("Anna@Example.com"))).toMatchObject({ outcome: "accepted", code: null });
    expect(server.received).toMatchObject([
      {
        from: "acme@example.com",
        to: ["anna@example.com"],
        user: "mailer",
        email: { subject: "Hello", from: { name: "Acme" } },
      },
    ]);
    const update = { id: line.id, email: { password: "wrong" } };
    await lineClient(gateway).update(update, { token: line.token });
    const rejected = await line.test("anna@example.com");
    expect(resultOf(rejected)).toMatchObject({ outcome: "retryable", code: "auth" });
    expect(passwords).toEqual(["hunter2", "wrong"]);
    expect(server.received).toHaveLength(1);
  });

  test("a local line needs no test, and says so", async () => {
    const line = await newLine({});
    expect(resultOf(await line.test())).toMatchObject({ outcome: "accepted", code: null });
  });

  test("a paused line can be tested before it is resumed", async () => {
    const line = await newLine(webhook());
    await gateway.graphql(
      "mutation ($id: ID!) { pauseLine(input: { id: $id }) { id } }",
      { id: line.id },
      { token: line.token },
    );
    expect(resultOf(await line.test())).toMatchObject({ outcome: "accepted" });
  });

  test("an organization runs one test at a time and ten per minute, and others are not affected", async () => {
    const line = await newLine(webhook());
    const other = await newLine(webhook());
    const { promise: arrival, resolve: arrived } = withResolver();
    let answer = () => {};
    receiver.reaction = (response) => {
      answer = () => response.end();
      arrived();
    };
    const first = line.test();
    await arrival;
    const second = await line.test();
    expect([second.status, codeOf(second)]).toEqual([429, "too_many_attempts"]);
    expect(second.headers.get("retry-after")).toBe("1");
    receiver.reaction = (response) => response.end();
    expect(resultOf(await other.test())).toMatchObject({ outcome: "accepted" });
    answer();
    expect(resultOf(await first)).toMatchObject({ outcome: "accepted" });
    for (let i = 1; i < 10; i++) expect(resultOf(await line.test())).toMatchObject({ outcome: "accepted" });
    const eleventh = await line.test();
    expect([eleventh.status, codeOf(eleventh)]).toEqual([429, "too_many_attempts"]);
    expect(Number(eleventh.headers.get("retry-after"))).toBeGreaterThan(1);
    expect(receiver.received).toHaveLength(11);
  });

  test.each([
    [undefined, "not_found", "018f0000-0000-7000-8000-000000000000"],
    [undefined, "not_found", "\0"],
    ["", "invalid_request", undefined],
    ["not a number", "invalid_request", undefined],
    ["x".repeat(300), "invalid_request", undefined],
  ])("to %j is rejected with %s", async (to, code, id) => {
    const line = await newLine(webhook());
    const reply = await gateway.graphql(TEST, { id: id ?? line.id, to }, { token: line.token });
    expect(codeOf(reply)).toBe(code);
    expect(receiver.connections).toBe(0);
  });

  test("the command line shows the result and sets its exit code", async () => {
    const line = await newLine(webhook());
    const run = engine === postgres ? spawnCli : runCli;
    const env = { ...ALLOWED, INSTANCE_KEY };
    const of = ["--agent", `tester-${organizations}-agent`];
    const cli = (...args: string[]) => run(gateway.databaseUrl, ["lines", "test", ...args, ...of], "", env);
    expect(await cli("tested", "--json")).toMatchObject({
      code: 0,
      stdout: '{"outcome":"accepted","code":null,"detail":"The receiver accepted the message."}\n',
    });
    receiver.reaction = (response) => response.writeHead(401).end();
    expect(await cli(line.id)).toMatchObject({
      code: 1,
      stdout: "The receiver responded with 401. (permanent, http_401)\n",
      stderr: "",
    });
  });
});

describeGateway({ engine: "one" }, (gateway) => {
  const keep = closedAfterEach();
  test("if private targets are not allowed, a test does not connect to them", async () => {
    const receiver = await keep(Receiver.start());
    const client = lineClient(gateway);
    const made = await client.create({
      agentId: await firstAgentId(gateway),
      name: "hook",
      settings: { webhook: { url: "https://93.184.215.14/" } },
    });
    const { id } = made.body.data.createLine.line;
    const settings = JSON.stringify({ url: receiver.url(), addressKind: "phone" });
    await gateway.rows.execute("update line set settings = $1 where id = $2", [settings, id]);
    const result = await gateway.services.lineTests.run(await operator(gateway), { id });
    expect(result).toMatchObject({ outcome: AttemptOutcome.permanent, code: "blocked_target" });
    expect(receiver.connections).toBe(0);
    expect(await auditLog(gateway, { targetId: id })).toMatchObject([{ action: "line_tested" }, {}]);
  });
});
