import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import { AttemptOutcome, type SendResult } from "../../src/delivery/driver";
import { Targets } from "../../src/delivery/targets";
import { createWebhookDriver } from "../../src/delivery/webhook-driver";
import { version } from "../../src/version";
import { aMessage, anAttempt, lookupIn } from "../support/attempts";
import { certificateFor, type Reaction, Receiver } from "../support/receiver";

const secretOf = (seed: string) => `whsec_${Buffer.from(seed.padEnd(32, ".")).toString("base64")}`;
const SECRET = secretOf("current");
const PREVIOUS_SECRET = secretOf("previous");

const lookup = lookupIn({
  "receiver.test": ["127.0.0.1"],
  "other.test": ["127.0.0.1"],
  "private.test": ["10.0.0.1"],
});
const opened: Targets[] = [];
const targetsWith = (ca?: string, allowPrivateTargets = ["127.0.0.0/8"]) => {
  const targets = new Targets(
    { environment: "development", allowPrivateTargets },
    { lookup, ...(ca !== undefined && { ca }) },
  );
  opened.push(targets);
  return targets;
};
afterEach(() => {
  for (const targets of opened.splice(0)) targets.close();
});

/** Sends a message to a URL. */
const sendTo = (
  url: string,
  { attempt = anAttempt(), targets = targetsWith(), timeoutMs = 10_000, secrets = [SECRET] } = {},
) => createWebhookDriver(targets, { url, secrets }, { timeoutMs })(aMessage(), attempt);

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.close());

const reply =
  (status: number, body: string | Buffer = "", headers: Record<string, string> = {}): Reaction =>
  (response) =>
    response.writeHead(status, headers).end(body);

describe("a message on a webhook line", () => {
  test("arrives as one POST that Standard Webhooks verifies", async () => {
    const result = await sendTo(`${receiver.url()}hooks?tenant=1`);
    expect(result).toEqual({ outcome: AttemptOutcome.accepted, providerId: null, isDelivered: false });
    const request = receiver.onlyRequest();
    expect(request.url).toBe("/hooks?tenant=1");
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(request.body)),
      "user-agent": `agent-petstore-gateway/${version}`,
      "webhook-id": aMessage().id,
    });
    expect(new Webhook(SECRET).verify(request.body, request.headers)).toEqual({
      id: aMessage().id,
      type: "message",
      conversationId: aMessage().conversationId,
      contactId: aMessage().contactId,
      to: "+4915112345678",
      text: "Your order is on its way 📦",
      createdAt: "2026-11-21T06:36:32.976Z",
    });
    const signed = `${request.headers["webhook-id"]}.${request.headers["webhook-timestamp"]}.${request.body}`;
    const hmac = createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
      .update(signed)
      .digest("base64");
    expect(request.headers["webhook-signature"]).toBe(`v1,${hmac}`);
  });

  test("has null for missing values", async () => {
    const send = createWebhookDriver(targetsWith(), { url: receiver.url(), secrets: [SECRET] });
    await send(aMessage({ conversationId: null, contactId: null, to: null }), anAttempt());
    expect(JSON.parse(receiver.onlyRequest().body)).toMatchObject({
      conversationId: null,
      contactId: null,
      to: null,
    });
  });

  test("carries a signature for each secret that is valid, the current one first", async () => {
    await sendTo(receiver.url(), { secrets: [SECRET, PREVIOUS_SECRET] });
    const { body, headers } = receiver.onlyRequest();
    for (const secret of [SECRET, PREVIOUS_SECRET])
      expect(new Webhook(secret).verify(body, headers)).toBeDefined();
    const [current] = (headers["webhook-signature"] ?? "").split(" ");
    expect(
      new Webhook(SECRET).verify(body, { ...headers, "webhook-signature": current ?? "" }),
    ).toBeDefined();
    expect(() => new Webhook(secretOf("other")).verify(body, headers)).toThrow();
  });

  test("is signed again on every attempt, with one webhook-id, over one connection", async () => {
    const send = createWebhookDriver(targetsWith(), { url: receiver.url(), secrets: [SECRET] });
    jest.useFakeTimers({
      doNotFake: ["nextTick", "setImmediate", "setTimeout", "clearTimeout", "performance"],
    });
    try {
      for (const time of ["2026-11-21T06:00:00Z", "2026-11-21T06:00:05Z"]) {
        jest.setSystemTime(new Date(time));
        await send(aMessage(), anAttempt());
      }
    } finally {
      jest.useRealTimers();
    }
    const values = (name: string) => new Set(receiver.received.map(({ headers }) => headers[name]));
    expect([...values("webhook-timestamp")]).toEqual(["1795240800", "1795240805"]);
    expect(values("webhook-signature").size).toBe(2);
    expect(values("webhook-id").size).toBe(1);
    expect(receiver.connections).toBe(1);
  });
});

describe("a 2xx response", () => {
  const nothing = { providerId: null, isDelivered: false };
  test.each<[string, string | Buffer, { providerId: string | null; isDelivered: boolean }]>([
    ["nothing", "", nothing],
    ["an ID", '{"providerId":"SM1"}', { providerId: "SM1", isDelivered: false }],
    ["a delivery", '{"delivered":true}', { providerId: null, isDelivered: true }],
    ["both", '{"providerId":"é","delivered":true}', { providerId: "é", isDelivered: true }],
    ["text", "OK", nothing],
    ["null", "null", nothing],
    ["a list", '[{"providerId":"SM1"}]', nothing],
    ["other types", '{"providerId":1,"delivered":"true"}', nothing],
    ["an empty ID", '{"providerId":""}', nothing],
    [
      "a long ID",
      JSON.stringify({ providerId: "x".repeat(201), delivered: true }),
      { ...nothing, isDelivered: true },
    ],
    ["NUL", '{"providerId":"a\\u0000b"}', nothing],
    ["half a surrogate pair", '{"providerId":"\\ud83d"}', nothing],
    ["bytes that are not UTF-8", Buffer.from('{"providerId":"\xff"}', "latin1"), nothing],
    ["deep JSON", "[".repeat(60_000), nothing],
    ["64 KiB of JSON", JSON.stringify({ providerId: "SM1", rest: "x".repeat(70_000) }), nothing],
  ])("with %s is accepted", async (_, body, receipt) => {
    receiver.reaction = reply(200, body);
    expect(await sendTo(receiver.url())).toEqual({ outcome: AttemptOutcome.accepted, ...receipt });
  });

  test.each([201, 202, 204, 299])("%d is accepted", async (status) => {
    receiver.reaction = reply(status);
    expect(await sendTo(receiver.url())).toMatchObject({ outcome: AttemptOutcome.accepted });
  });

  test("of 10 MB is accepted before its end, and the connection is closed", async () => {
    const closed = new Promise<void>((resolve) => {
      receiver.reaction = (response) => {
        response.once("close", resolve);
        response.write(Buffer.alloc(10_000_000, "x"));
      };
    });
    expect(await sendTo(receiver.url(), { timeoutMs: 600_000 })).toMatchObject({
      outcome: AttemptOutcome.accepted,
    });
    await closed;
  });

  test.each<[string, Reaction]>([
    [
      "breaks off",
      (response) => response.writeHead(200, { "content-length": "10" }).write("{", () => response.destroy()),
    ],
    ["never ends", (response) => response.writeHead(200, { "content-length": "10" }).write("{")],
    [
      "comes after informational responses",
      (response) => {
        response.writeContinue();
        response.writeEarlyHints({ link: "</style.css>; rel=preload" });
        response.end();
      },
    ],
  ])("that %s is accepted", async (_, reaction) => {
    receiver.reaction = reaction;
    expect(await sendTo(receiver.url(), { timeoutMs: 1_500 })).toEqual({
      outcome: AttemptOutcome.accepted,
      ...nothing,
    });
  });
});

describe("a response with another status", () => {
  test.each([
    ...[408, 425, 429, 500, 502, 503, 599].map((status) => [status, AttemptOutcome.retryable] as const),
    ...[400, 401, 403, 404, 409, 410, 413, 422, 600].map(
      (status) => [status, AttemptOutcome.permanent] as const,
    ),
    ...[300, 301, 302, 303, 304, 307, 308].map((status) => [status, AttemptOutcome.permanent] as const),
  ])("%d is %s", async (status, outcome) => {
    receiver.reaction = reply(Number(status), "", { "retry-after": "nonsense" });
    expect(await sendTo(receiver.url())).toEqual({
      outcome,
      code: `http_${status}`,
      detail: expect.stringMatching(new RegExp(`^The receiver responded with ${status}[.,]`)),
    });
  });

  test("101 is permanent, and the connection is closed", async () => {
    receiver.reaction = (response) =>
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    expect(await sendTo(receiver.url())).toMatchObject({
      outcome: AttemptOutcome.permanent,
      code: "http_101",
    });
  });

  test("3xx says that redirects are not followed, and none is", async () => {
    const other = await Receiver.start();
    receiver.reaction = reply(307, "", { location: other.url() });
    expect(await sendTo(receiver.url())).toMatchObject({
      outcome: AttemptOutcome.permanent,
      detail: "The receiver responded with 307, and the gateway does not follow redirects.",
    });
    expect(other.connections).toBe(0);
    await other.close();
  });

  test.each([
    ["3", 3_000],
    ["0", undefined],
    ["86400", 86_400_000],
    ["99999999999999999999", 86_400_000],
    ["Sat, 21 Nov 2026 06:00:10 GMT", 10_000],
    ["Saturday, 21-Nov-26 06:00:10 GMT", 10_000],
    ["Sat, 21 Nov 2026 05:00:00 GMT", undefined],
    ["Sat, 21 Nov 2037 05:00:00 GMT", 86_400_000],
    ["-3", undefined],
    ["3.5", undefined],
    ["soon", undefined],
    ["2026-11-21T06:00:10Z", undefined],
  ])("with Retry-After: %s is repeated after %p ms", async (header, wait) => {
    jest.useFakeTimers({
      now: new Date("2026-11-21T06:00:00Z"),
      doNotFake: ["nextTick", "setImmediate", "setTimeout", "clearTimeout", "performance"],
    });
    try {
      receiver.reaction = reply(429, "", { "retry-after": header });
      expect(await sendTo(receiver.url())).toEqual({
        outcome: AttemptOutcome.retryable,
        code: "http_429",
        detail: "The receiver responded with 429.",
        ...(wait !== undefined && { retryAfterMs: wait }),
      });
    } finally {
      jest.useRealTimers();
    }
  });

  test("is quoted in one line of bounded length, without control characters", async () => {
    receiver.reaction = reply(400, `\u0000bad\r\n\u001b[31mnumber\u202e\u200b ${"é📦".repeat(500)}`);
    const { detail } = (await sendTo(receiver.url())) as { detail: string };
    expect(detail).toMatch(/^The receiver responded with 400: bad \[31mnumber (é📦)+/);
    expect(detail.length).toBeLessThanOrEqual(240);
    expect(detail).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(detail.isWellFormed()).toBe(true);
  });

  test("that echoes the request is quoted without the signatures", async () => {
    receiver.reaction = (response, request) => {
      const signature = String(request.headers["webhook-signature"]);
      response.writeHead(400).end(JSON.stringify({ signature }).replaceAll("/", "\\/"));
    };
    expect(await sendTo(receiver.url(), { secrets: [SECRET, PREVIOUS_SECRET] })).toMatchObject({
      detail: 'The receiver responded with 400: {"signature":"v1,[redacted] v1,[redacted]"}',
    });
  });
});

describe("an attempt without a response", () => {
  const RETRYABLE = AttemptOutcome.retryable;
  const UNCERTAIN = AttemptOutcome.uncertain;

  test.each<[string, string, AttemptOutcome, string]>([
    ["a name that does not resolve", "http://nowhere.test/", RETRYABLE, "dns"],
    ["a port without a server", "http://127.0.0.1:1/", RETRYABLE, "refused"],
    ["a name of a private address", "http://private.test/", AttemptOutcome.permanent, "blocked_target"],
    ["a private address", "http://10.0.0.1/", AttemptOutcome.permanent, "blocked_target"],
    ["a URL that is not HTTP", "ftp://receiver.test/", AttemptOutcome.permanent, "blocked_target"],
  ])("to %s: %s is %s, code %s", async (_, url, outcome, code) => {
    expect(await sendTo(url)).toEqual({ outcome, code, detail: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test.each<[string, string, Reaction]>([
    ["closes the connection", "reset", (response) => response.socket?.end()],
    ["resets the connection", "reset", (response) => response.socket?.resetAndDestroy()],
    ["closes within the status line", "reset", (response) => response.socket?.end("HTTP/1.1 20")],
    ["does not speak HTTP", "invalid_answer", (response) => response.socket?.end("220 mail.test ESMTP\r\n")],
    [
      "sends an endless head",
      "invalid_answer",
      (response) => response.socket?.end(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`),
    ],
  ])("by a receiver that %s is uncertain, code %s", async (_, code, reaction) => {
    receiver.reaction = reaction;
    const result = await sendTo(receiver.url());
    expect(result).toEqual({ outcome: UNCERTAIN, code, detail: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(receiver.received).toHaveLength(1);
  });

  test("by a receiver that hangs, drips its head or sends only informational answers is uncertain, code timeout", async () => {
    const reactions: Reaction[] = [
      () => undefined,
      (response) => void drip(response.socket, "HTTP/1.1 200 OK\r\nX-Long: xxxxx"),
      (response) => void drip(response.socket, "HTTP/1.1 102 Processing\r\n\r\n", 60_000),
    ];
    receiver.reaction = (...args) => reactions.pop()?.(...args);
    const results = reactions.map(() => sendTo(receiver.url(), { timeoutMs: 1_500 }));
    const expected = { outcome: UNCERTAIN, code: "timeout", detail: expect.stringMatching(/^[A-Z].*\.$/) };
    expect(await Promise.all(results)).toEqual([expected, expected, expected]);
    expect(receiver.received).toHaveLength(3);
  });

  /** Sends a text byte by byte until the peer disconnects. Repeats the text if `size` exceeds its length. */
  async function drip(socket: Socket | null, text: string, size = text.length): Promise<void> {
    for (let at = 0; at < size && socket && !socket.destroyed; at += 1) {
      socket.write(text[at % text.length] ?? "");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  test("over a connection closed after a response is uncertain, because the receiver may have read the message", async () => {
    const targets = targetsWith();
    receiver.reaction = (response) => response.end();
    await sendTo(receiver.url(), { targets });
    receiver.reaction = (response) => response.socket?.resetAndDestroy();
    expect(await sendTo(receiver.url(), { targets })).toMatchObject({ outcome: UNCERTAIN, code: "reset" });
    expect(receiver.connections).toBe(1);
  });

  test("ends early with its signal: retryable before the message is sent, uncertain afterwards", async () => {
    const before = AbortSignal.abort();
    expect(await sendTo(receiver.url(), { attempt: anAttempt({ signal: before }) })).toMatchObject({
      outcome: RETRYABLE,
      code: "aborted",
    });
    expect(receiver.received).toHaveLength(0);

    const controller = new AbortController();
    receiver.reaction = () => controller.abort();
    expect(await sendTo(receiver.url(), { attempt: anAttempt({ signal: controller.signal }) })).toMatchObject(
      { outcome: UNCERTAIN, code: "aborted" },
    );
  });
});

describe("a receiver that sends more than a response", () => {
  /** Starts a server that calls `react` for each connection that has sent something. */
  const listen = async (react: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => react(socket));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const flood = (socket: Socket, text: string) => {
    const write = () => {
      while (!socket.destroyed && socket.write(text.repeat(1_000)));
    };
    socket.on("drain", write);
    write();
  };

  test("in informational responses is disconnected, and the attempt is uncertain", async () => {
    const url = await listen((socket) => flood(socket, "HTTP/1.1 102 Processing\r\n\r\n"));
    expect(await sendTo(url, { timeoutMs: 600_000 })).toEqual({
      outcome: AttemptOutcome.uncertain,
      code: "invalid_answer",
      detail: "The receiver sent more than 131072 bytes.",
    });
  });

  test("between two requests is disconnected", async () => {
    let idle: Socket | undefined;
    const url = await listen((socket) => {
      idle = socket;
      socket.write("HTTP/1.1 204 No Content\r\n\r\n");
    });
    expect(await sendTo(url)).toMatchObject({ outcome: AttemptOutcome.accepted });
    const closed = new Promise((resolve) => idle?.once("close", resolve));
    if (idle !== undefined) flood(idle, "x");
    await closed;
  });
});

describe("before a message is sent", () => {
  let silent: Server;
  const connected: Socket[] = [];
  /** Everything that the silent server received. */
  let bytes = "";
  beforeEach(async () => {
    bytes = "";
    silent = createServer((socket) => {
      connected.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (data) => (bytes += data.toString("latin1")));
    }).listen(0, "127.0.0.1");
    await once(silent, "listening");
  });
  afterEach(() => {
    for (const socket of connected.splice(0)) socket.destroy();
    silent.close();
  });
  const silentUrl = (scheme: string) => `${scheme}://127.0.0.1:${(silent.address() as AddressInfo).port}/`;

  test("the attempt is checked once connected, and if it may not send, no byte is sent", async () => {
    const targets = targetsWith();
    const rejecting = anAttempt({ mayLeave: () => false });
    const lost = { outcome: AttemptOutcome.retryable, code: "lease_lost", detail: expect.any(String) };
    const accepted = once(silent, "connection");
    expect(await sendTo(silentUrl("http"), { targets, attempt: rejecting })).toEqual(lost);
    const [socket] = (await accepted) as [Socket];
    if (!socket.closed) await once(socket, "close");
    expect(bytes).toBe("");

    // This applies even to a connection kept from an earlier message.
    await sendTo(receiver.url(), { targets });
    expect(await sendTo(receiver.url(), { targets, attempt: rejecting })).toEqual(lost);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.connections).toBe(1);
  });

  test("the attempt is not checked while a TLS handshake hangs, which is retryable", async () => {
    const mayLeave = jest.fn<boolean, []>(() => true);
    const result = await sendTo(silentUrl("https"), { attempt: anAttempt({ mayLeave }), timeoutMs: 300 });
    expect(result).toMatchObject({ outcome: AttemptOutcome.retryable, code: "timeout" });
    expect(mayLeave).not.toHaveBeenCalled();
  });

  test("a connection that is reset in the TLS handshake is retryable", async () => {
    silent.once("connection", (socket: Socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await sendTo(silentUrl("https"))).toMatchObject({
      outcome: AttemptOutcome.retryable,
      code: "reset",
    });
  });
});

describe("a receiver with TLS", () => {
  let secured: Receiver;
  let ca: string;
  beforeAll(async () => {
    const certificate = await certificateFor("receiver.test");
    ca = certificate.cert;
    secured = await Receiver.start(certificate);
  });
  afterAll(() => secured.close());

  test("gets messages over one connection if its certificate is valid", async () => {
    const targets = targetsWith(ca);
    const mayLeave = jest.fn<boolean, []>(() => true);
    for (const attempt of [anAttempt({ mayLeave }), anAttempt({ mayLeave })]) {
      const result = await sendTo(secured.url("receiver.test"), { targets, attempt });
      expect(result).toMatchObject({ outcome: AttemptOutcome.accepted });
    }
    expect(mayLeave).toHaveBeenCalledTimes(2);
    expect(secured.received).toHaveLength(2);
    expect(secured.connections).toBe(1);
  });

  test.each<[string, () => Promise<SendResult>]>([
    ["an unknown authority", () => sendTo(secured.url("receiver.test"))],
    ["another name", () => sendTo(secured.url("other.test"), { targets: targetsWith(ca) })],
    ["no TLS at all", () => sendTo(receiver.url().replace("http:", "https:"))],
  ])("and %s gets nothing, which is retryable", async (_, send) => {
    const before = secured.received.length;
    expect(await send()).toEqual({
      outcome: AttemptOutcome.retryable,
      code: "tls",
      detail: expect.stringMatching(/^The TLS connection failed \([A-Z_]+\)\.$/),
    });
    expect(secured.received).toHaveLength(before);
    expect(receiver.received).toHaveLength(0);
  });
});

test("a driver is not created with a secret that cannot sign", () => {
  const make = (secret: string) => () =>
    createWebhookDriver(targetsWith(), { url: "https://public.test/", secrets: [secret] });
  expect(make("whsec_")).toThrow();
  expect(make("whsec_%%%")).toThrow();
});
