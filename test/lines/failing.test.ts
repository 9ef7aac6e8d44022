import { AttemptOutcome, type SendResult } from "../../src/delivery/driver";
import { failure } from "../../src/delivery/failures";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { countRejections } from "../../src/features/messages/rejections";
import { closedAfterEach } from "../support/closing";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { whileDelivering } from "../support/deliver";
import { startGateway, type TestGateway } from "../support/gateway";
import { addWebhookLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const ENV = { ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };
const ACCEPTED: SendResult = { outcome: AttemptOutcome.accepted, providerId: null, isDelivered: false };
const failed = (code: string, detail = `Failed with ${code}.`) =>
  failure(AttemptOutcome.retryable, code, detail);

describeGateway({ env: ENV }, (gateway, engine) => {
  const keep = closedAfterEach();
  let other: TestGateway;
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    other = await startGateway(engine, { env: ENV, database: { url: gateway.databaseUrl } });
  });
  afterAll(() => other.close());

  const addLine = async () => (await addWebhookLine(gateway, { agentId })).id;
  /** Stores the results of a line's attempts, like a process that has sent messages. */
  const store = (
    lineId: string,
    results: readonly SendResult[],
    { process = gateway, kind = "webhook" } = {},
  ) =>
    process.services.database.write((tx) =>
      countRejections(
        tx,
        results.map((result) => ({
          ...{ laneId: "", messageId: "", attempt: 1, isHeld: true, result },
          channelId: lineId,
          channelKind: kind,
        })),
      ),
    );
  const faultOf = async (lineId: string) => {
    const { body } = await gateway.graphql(
      "query ($agentId: ID!) { lines(agentId: $agentId) { id fault { code detail since } } }",
      { agentId },
      { token: gateway.owner },
    );
    return body.data.lines.find(({ id }: { id: string }) => id === lineId).fault;
  };

  test.each<[string, string, readonly SendResult[], string | null]>([
    ["has failed attempts", "webhook", [failed("http_500")], "http_500"],
    ["fails in different ways", "webhook", [failed("http_500"), failed("timeout")], "timeout"],
    ["failed after a success", "webhook", [ACCEPTED, failed("http_500")], "http_500"],
    ["succeeded after a failure", "webhook", [failed("http_500"), ACCEPTED], null],
    [
      "is rejected permanently",
      "webhook",
      [{ ...failed("http_404"), outcome: AttemptOutcome.permanent }],
      "http_404",
    ],
    ["attempted nothing", "webhook", [failed("lease_lost"), failed("aborted"), failed("not_sent")], null],
    ["had a message rejected by a mail server", "email", [failed("smtp_450")], null],
    [
      "is rejected by a mail server",
      "email",
      [{ ...failed("smtp_554"), lineFault: "permanent" } as SendResult],
      "smtp_554",
    ],
  ])("a line that %s (%s) has the last failure, or none", async (_, kind, results, code) => {
    const line = await addLine();
    await store(line, results, { kind });
    expect((await faultOf(line))?.code ?? null).toBe(code);
  });

  test("a line fails since the first failed attempt after the last success, in any process", async () => {
    const line = await addLine();
    await store(line, [failed("http_500")]);
    const { since } = await faultOf(line);
    await store(line, [failed("http_503")], { process: other });
    expect(await faultOf(line)).toEqual({
      code: "http_503",
      detail: "The receiver responded with 503.",
      since,
    });
    await store(line, [ACCEPTED], { process: other });
    expect(await faultOf(line)).toBeNull();
    await store(line, [failed("timeout", "The receiver did not respond in time.")]);
    const again = await faultOf(line);
    expect(again).toMatchObject({ code: "timeout", detail: "The receiver did not respond in time." });
    expect(again.since > since).toBe(true);
  });

  test("a repeated failure, and a success without an earlier failure, change no row", async () => {
    const line = await addLine();
    const unchanged = async (results: readonly SendResult[]) => {
      const version =
        engine.name === "SQLite"
          ? "select total_changes() as version"
          : `select xmin::text as version from line_traffic where line_id = '${line}'`;
      return gateway.services.database.write(async (tx) => {
        const before = await tx.query(version);
        await countRejections(
          tx,
          results.map((result) => ({
            ...{ laneId: "", messageId: "", attempt: 1, isHeld: true, result },
            channelId: line,
            channelKind: "webhook",
          })),
        );
        expect(await tx.query(version)).toEqual(before);
      });
    };
    await unchanged([ACCEPTED, ACCEPTED]);
    await store(line, [failed("http_500")]);
    await unchanged([failed("http_500")]);
    await store(line, [ACCEPTED]);
    await unchanged([ACCEPTED]);
  });

  test("processes that store successes and failures of the same lines concurrently agree on the last one", async () => {
    const lines = [await addLine(), await addLine(), await addLine()];
    const any = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
    await Promise.all(
      Array.from({ length: 60 }, () =>
        store(any(lines), [any([ACCEPTED, failed("http_500"), failed("timeout")])], {
          process: any([gateway, other]),
        }),
      ),
    );
    for (const [i, line] of lines.entries()) {
      const process = i % 2 === 0 ? gateway : other;
      await store(line, [failed("http_502")], { process });
      expect(await faultOf(line)).toMatchObject({ code: "http_502" });
      await store(line, [ACCEPTED], { process });
      expect(await faultOf(line)).toBeNull();
    }
  });

  test("a failing line shows the status of its receiver's response, but not its text, which may repeat the message", async () => {
    const receiver = await keep(Receiver.start());
    let isBroken = true;
    receiver.reaction = (response, { headers }) => {
      const echo = `${receiver.received.at(-1)?.body} ${headers["webhook-signature"]}`;
      response.writeHead(isBroken ? 500 : 200).end(echo);
    };
    const { id, name } = await addWebhookLine(gateway, { agentId, url: receiver.url() });
    const addresses = [{ kind: AddressKind.phone, address: "+4915155512345" }];
    const contact = { id: await addContact(gateway, { agentId, addresses }) };
    await whileDelivering(gateway, async () => {
      await conversationClient(gateway).open({ contact, line: name, message: "Something private" });
      await waitUntil(async () => (await faultOf(id)) !== null);
      expect(await faultOf(id)).toEqual({
        code: "http_500",
        detail: "The receiver responded with 500.",
        since: expect.any(String),
      });
      isBroken = false;
      await gateway.services.database.write(async (tx) => {
        await tx.query("update message set not_before = null where status = 'queued'");
        await tx.query("update lane set wake_at = '2000-01-01T00:00:00.000Z' where lease is null");
      });
      gateway.services.lanes.notify();
      await waitUntil(async () => (await faultOf(id)) === null);
    });
  });
});
