import { once } from "node:events";
import type { Socket } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import { AttemptOutcome } from "../../src/delivery/driver";
import { createEmailDriver, type EmailSettings } from "../../src/delivery/email-driver";
import { MAX_SESSION_LINES } from "../../src/delivery/smtp-connection";
import { failureOf } from "../../src/delivery/smtp-failures";
import { Targets } from "../../src/delivery/targets";
import { normalizeAddress } from "../../src/features/contacts/addresses";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { aMessage, anAttempt, lookupIn } from "../support/attempts";
import { closedAfterEach } from "../support/closing";
import { MailServer, rejection, type Script, ScriptedMailServer, type Step } from "../support/mail-server";
import { certificateFor } from "../support/receiver";

const { retryable: RETRYABLE, permanent: PERMANENT, uncertain: UNCERTAIN } = AttemptOutcome;
const PASSWORD = "open sesame";
const MESSAGE = aMessage({ to: "ada@customer.test" });

let certificate: { cert: string; private: string };
beforeAll(async () => {
  certificate = await certificateFor("mail.test");
});

const lookup = lookupIn({
  "mail.test": ["127.0.0.1"],
  "other.test": ["127.0.0.1"],
  "private.test": ["10.0.0.1"],
});
const targetsIn = (environment: "development" | "production", allowPrivateTargets = ["127.0.0.0/8"]) =>
  new Targets({ environment, allowPrivateTargets }, { lookup, ca: certificate.cert });

const keep = closedAfterEach();
const startServer = (options?: Parameters<typeof MailServer.start>[0]) => keep(MailServer.start(options));
const startScripted = (script: Script) => keep(ScriptedMailServer.start(script));
const withTls = (options: SMTPServerOptions = {}) => ({
  key: certificate.private,
  cert: certificate.cert,
  ...options,
});

/** Sends a message through the mail server on a local port. */
const sendVia = (
  port: number,
  {
    message = MESSAGE,
    attempt = anAttempt(),
    targets = targetsIn("development"),
    timeoutMs = 10_000,
    ...settings
  }: Partial<EmailSettings> & {
    message?: typeof MESSAGE;
    attempt?: ReturnType<typeof anAttempt>;
    targets?: Targets;
    timeoutMs?: number;
  } = {},
) =>
  createEmailDriver(
    targets,
    { host: "mail.test", port, security: "none", from: "Ada's shop <shop@agent.test>", ...settings },
    { timeoutMs },
  )(message, attempt);

const ACCEPTED = {
  outcome: AttemptOutcome.accepted,
  providerId: `${MESSAGE.id}@agent.test`,
  isDelivered: false,
};

describe("a message on an e-mail line", () => {
  test("arrives as one plain-text e-mail", async () => {
    const server = await startServer();
    const before = Date.now();
    expect(await sendVia(server.port, { subject: "Bestellung für Ada 📦" })).toEqual(ACCEPTED);
    expect(server.received).toHaveLength(1);
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: "shop@agent.test", to: ["ada@customer.test"] });
    expect(mail?.email).toMatchObject({
      from: { name: "Ada's shop", address: "shop@agent.test" },
      to: [{ name: "", address: "ada@customer.test" }],
      subject: "Bestellung für Ada 📦",
      messageId: `<${MESSAGE.id}@agent.test>`,
      attachments: [],
    });
    expect(mail?.email.text?.trimEnd()).toBe("Your order is on its way 📦");
    expect(mail?.email.html).toBeUndefined();
    expect(mail?.raw).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/im);
    expect(mail?.raw).not.toMatch(/nodemailer/i);
    const date = Date.parse(mail?.email.date ?? "");
    expect(date).toBeGreaterThanOrEqual(before - 1_000);
    expect(date).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    ["lines that look like SMTP", "one\n.\r\nRCPT TO:<eve@evil.test>\n..two\r.three\n"],
    ["text that looks like a file or a URL", "file:///etc/passwd\nhttps://public.test/"],
    ["lines of 2,000 characters", `${"x".repeat(2_000)}\n${"é".repeat(2_000)}`],
    ["right-to-left text and emoji", "שלום 👩‍👩‍👧‍👧 \u202eabc"],
  ])("keeps %s", async (_, text) => {
    const server = await startServer();
    expect(await sendVia(server.port, { message: { ...MESSAGE, text } })).toEqual(ACCEPTED);
    expect(server.received).toHaveLength(1);
    const lines = (value = "") => value.replace(/\r\n?|\n/g, "\n").trimEnd();
    expect(lines(server.received[0]?.email.text)).toBe(lines(text));
    expect(server.received[0]?.to).toEqual(["ada@customer.test"]);
  });

  test.each([
    ["from", { from: "Shop\r\nBcc: eve@evil.test <shop@agent.test>" }],
    ["subject", { subject: "Hello\r\nBcc: eve@evil.test\r\n\r\nOther text" }],
  ])("gets no header from a line break in %s", async (_, settings) => {
    const server = await startServer();
    expect(await sendVia(server.port, settings)).toEqual(ACCEPTED);
    expect(server.received[0]?.to).toEqual(["ada@customer.test"]);
    expect(server.received[0]?.email.headers.map(({ key }) => key)).not.toContain("bcc");
    expect(server.received[0]?.email.text?.trimEnd()).toBe(MESSAGE.text);
  });

  test.each([
    ["no address", null],
    ["a line break", "ada@customer.test\r\nRCPT TO:<eve@evil.test>"],
    ["a second address", "ada@customer.test,eve@evil.test"],
    ["a name", "Ada <ada@customer.test>"],
    ["no domain", "ada"],
  ])("fails permanently with %s as its recipient", async (_, to) => {
    const server = await startServer();
    expect(await sendVia(server.port, { message: { ...MESSAGE, to } })).toMatchObject({
      outcome: PERMANENT,
      code: "invalid_message",
    });
    expect(server.received).toHaveLength(0);
  });

  test.each(['"ada, of rome"@customer.test', '"ada@home"@customer.test', "ada.@customer.test"])(
    "is sent to the odd address %s",
    async (to) => {
      expect(normalizeAddress(AddressKind.email, to)).toEqual({ address: to });
      const server = await startScripted({});
      expect(await sendVia(server.port, { message: { ...MESSAGE, to } })).toEqual(ACCEPTED);
      const quoted = to.startsWith('"') ? to : to.replace(/^([^@]*)/, '"$1"');
      expect(server.lines).toContain(`RCPT TO:<${quoted}>`);
    },
  );

  test.each(["", "shop", "shop@", "a@agent.test, b@agent.test"])(
    "has no driver for the sender %p",
    (from) => {
      const settings: EmailSettings = { host: "mail.test", port: 25, security: "tls", from };
      expect(() => createEmailDriver(targetsIn("production"), settings)).toThrow(
        "The sender is not a valid address.",
      );
    },
  );

  test.each(["auto-replied", "auto-generated", null] as const)(
    "says whether programs may answer it: %p",
    async (autoSubmitted) => {
      const server = await startServer();
      await sendVia(server.port, { message: { ...MESSAGE, autoSubmitted } });
      const header = server.received[0]?.email.headers.find(({ key }) => key === "auto-submitted");
      expect(header?.value ?? null).toBe(autoSubmitted);
    },
  );

  test("gets the ID that the server gave the e-mail", async () => {
    const server = await startScripted({ message: "250 2.0.0 OK <abc@EUR01.prod.outlook.com> [Hostname=x]" });
    expect(await sendVia(server.port)).toEqual({ ...ACCEPTED, providerId: "abc@EUR01.prod.outlook.com" });
    const long = await startScripted({ message: `250 2.0.0 OK <${"a".repeat(200)}@x.prod.outlook.com>` });
    expect(await sendVia(long.port)).toEqual(ACCEPTED);
  });
});

describe("a server with TLS and a login", () => {
  const login: SMTPServerOptions = {
    authOptional: false,
    onAuth: ({ username, password }, _, callback) => {
      if (username === "shop" && password === PASSWORD) callback(null, { user: username });
      else callback(rejection(535, `5.7.8 ${username}: ${password} is wrong`));
    },
  };

  test.each(["tls", "starttls"] as const)("accepts mail with %s, even in production", async (security) => {
    const server = await startServer(withTls({ secure: security === "tls", ...login }));
    const settings = { security, user: "shop", password: PASSWORD, targets: targetsIn("production") };
    expect(await sendVia(server.port, settings)).toEqual(ACCEPTED);
    expect(server.received).toMatchObject([{ secure: true, user: "shop" }]);
  });

  test.each([
    ["a wrong password", { user: "shop", password: "open barley" }],
    ["no password", { user: "shop" }],
    ["no login at all", {}],
  ])("gets no mail with %s, which is retryable and not quoted", async (_, credentials) => {
    const server = await startServer(withTls({ secure: true, ...login }));
    const result = await sendVia(server.port, { security: "tls", ...credentials });
    expect(result).toEqual({
      outcome: RETRYABLE,
      code: "auth",
      detail: expect.stringMatching(/^The server rejected the login( \(53[05]\))?\.$/),
      lineFault: "permanent",
    });
    expect(server.received).toHaveLength(0);
  });

  test.each([
    ["an unknown authority", "tls", "mail.test", []],
    ["an unknown authority", "starttls", "mail.test", []],
    ["another name", "tls", "other.test", ["ca"]],
    ["another name", "starttls", "other.test", ["ca"]],
    ["an address", "tls", "127.0.0.1", ["ca"]],
  ] as const)(
    "and a certificate for %s gets no mail over %s, which is retryable",
    async (_, security, host, [ca]) => {
      const server = await startServer(withTls({ secure: security === "tls" }));
      const settings = { environment: "development" as const, allowPrivateTargets: ["127.0.0.0/8"] };
      const targets = ca ? targetsIn("development") : new Targets(settings, { lookup });
      expect(await sendVia(server.port, { security, host, targets })).toMatchObject({
        outcome: RETRYABLE,
        code: "tls",
        lineFault: "permanent",
      });
      expect(server.received).toHaveLength(0);
    },
  );

  test("gets no password without STARTTLS", async () => {
    const server = await startScripted({});
    const result = await sendVia(server.port, { security: "starttls", user: "shop", password: PASSWORD });
    expect(result).toMatchObject({ outcome: RETRYABLE, code: "tls" });
    expect(server.lines.map((line) => line.split(" ")[0])).toEqual(["EHLO", "STARTTLS"]);
  });
});

describe("a server without TLS", () => {
  test("gets no mail in production unless its address is allowed", async () => {
    const server = await startServer();
    const publicTargets = targetsIn("production", []);
    jest
      .spyOn(publicTargets, "connect")
      .mockImplementation((_, port) => targetsIn("development").connect("mail.test", port));
    const targets = { public: publicTargets, allowed: targetsIn("production") };
    expect(await sendVia(server.port, { targets: targets.public })).toMatchObject({
      outcome: RETRYABLE,
      code: "blocked_target",
      lineFault: "permanent",
    });
    expect(server.received).toHaveLength(0);
    expect(await sendVia(server.port, { targets: targets.allowed })).toEqual(ACCEPTED);
  });
});

describe("a rejection", () => {
  const REJECTING: Record<string, (error: Error) => Parameters<typeof MailServer.start>[0]> = {
    sender: (error) => ({ onMailFrom: (_, __, callback) => callback(error) }),
    recipient: (error) => ({ onRcptTo: (_, __, callback) => callback(error) }),
    text: (error) => ({ onMail: () => error }),
  };

  test.each([
    ["sender", 451, RETRYABLE],
    ["recipient", 450, RETRYABLE],
    ["recipient", 550, PERMANENT],
    ["text", 451, RETRYABLE],
    ["text", 421, RETRYABLE],
    ["text", 554, PERMANENT],
  ] as const)("of the %s with %d is %s", async (of, code, outcome) => {
    const server = await startServer(REJECTING[of]?.(rejection(code, "no,\u0007 thanks")));
    expect(await sendVia(server.port)).toEqual({
      outcome,
      code: `smtp_${code}`,
      detail: `The server rejected the message: ${code} no, thanks`,
    });
  });

  /** Replies from servers that reject all of the line's e-mail, by command. */
  test.each<[keyof Script, string]>([
    ["greeting", "554 5.7.1 Service unavailable"],
    ["AUTH", "535 5.7.8 Error: authentication failed"],
    ["AUTH", "534 5.7.9 Application-specific password required"],
    ["MAIL", "530 5.7.0 Must issue a STARTTLS command first"],
    ["MAIL", "550 5.1.0 Sender unknown"],
    ["MAIL", "553 5.7.1 <shop@agent.test>: Sender address rejected: not owned by user shop"],
    ["MAIL", "501 5.1.7 Bad sender address syntax"],
    ["RCPT", "554 5.7.1 <ada@customer.test>: Relay access denied"],
    ["RCPT", "550 5.7.1 Unable to relay"],
    ["RCPT", "550 5.7.1 <ada@customer.test>... Relaying denied"],
    ["RCPT", "550 relay not permitted"],
    ["RCPT", "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain"],
    ["RCPT", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
    ["RCPT", "530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM"],
    ["RCPT", "554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied"],
    ["RCPT", "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org"],
    ["RCPT", "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname"],
    ["RCPT", "553 5.1.8 <shop@agent.test>: Sender address rejected: Domain not found"],
    ["message", "550 5.7.26 Unauthenticated email from agent.test is not accepted due to DMARC policy"],
    ["message", "550 5.7.60 SMTP; Client does not have permissions to send as this sender"],
  ])("of the line at %s is retryable, and a fault of the line: %s", async (step, reply) => {
    const server = await startScripted({ [step]: reply });
    expect(await sendVia(server.port, { user: "shop", password: PASSWORD })).toMatchObject({
      outcome: RETRYABLE,
      lineFault: "permanent",
    });
  });

  test.each<[keyof Script, string]>([
    ["MAIL", "552 5.3.4 Message size exceeds fixed limit"],
    [
      "RCPT",
      "550 5.1.1 <ada@customer.test>: Recipient address rejected: User unknown in relay recipient table",
    ],
    ["RCPT", "550 5.1.1 <abc@privaterelay.appleid.com>: user does not exist"],
    ["RCPT", "550 5.7.1 Recipient not authorized to receive mail from outside"],
    ["RCPT", "552 5.2.2 Mailbox full"],
    ["message", "554 5.7.1 Message rejected as spam"],
  ])("of the message at %s is permanent: %s", async (step, reply) => {
    const server = await startScripted({ [step]: reply });
    const result = await sendVia(server.port);
    expect(result).toMatchObject({ outcome: PERMANENT, code: `smtp_${reply.slice(0, 3)}` });
    expect(result).not.toHaveProperty("lineFault");
  });

  test("follows a greeting with the configured name", async () => {
    const settings = { environment: "development" as const, allowPrivateTargets: ["127.0.0.0/8"] };
    const server = await startScripted({});
    const targets = new Targets({ ...settings, heloName: "gateway.agent.test" }, { lookup });
    expect(await sendVia(server.port, { targets })).toEqual(ACCEPTED);
    expect(server.lines[0]).toBe("EHLO gateway.agent.test");
  });

  test("by a greylisting server ends with a later attempt", async () => {
    let attempts = 0;
    const server = await startServer({
      onRcptTo: (_, __, callback) => {
        attempts += 1;
        callback(attempts === 1 ? rejection(451, "4.7.1 Greylisted") : null);
      },
    });
    expect(await sendVia(server.port)).toMatchObject({ outcome: RETRYABLE, code: "smtp_451" });
    expect(await sendVia(server.port)).toEqual(ACCEPTED);
  });

  test("of the connection is retryable, whatever its status", async () => {
    for (const greeting of ["554 5.7.1 go away", "421 4.3.2 busy"]) {
      const server = await startScripted({ greeting });
      expect(await sendVia(server.port)).toEqual({
        outcome: RETRYABLE,
        code: `smtp_${greeting.slice(0, 3)}`,
        detail: `The server rejected the connection: ${greeting}`,
        lineFault: greeting.startsWith("5") ? "permanent" : "temporary",
      });
    }
  });

  test("of an oversized e-mail is permanent", async () => {
    const server = await startServer({ size: 1_000 });
    const message = { ...MESSAGE, text: "x".repeat(2_000) };
    expect(await sendVia(server.port, { message })).toMatchObject({
      outcome: PERMANENT,
      code: "invalid_message",
    });
    expect(server.received).toHaveLength(0);
  });

  test("that contains the password is quoted without it", async () => {
    const server = await startScripted({ RCPT: `550 ${PASSWORD} is your password` });
    const result = await sendVia(server.port, { user: "shop", password: PASSWORD });
    expect(result).toMatchObject({
      code: "smtp_550",
      detail: "The server rejected the message: 550 [redacted] is your password",
    });
  });

  test.each(["x", "x-", "<", "x.", "x@", "x "])("of 60,000 characters is classified quickly: %p", (part) => {
    const response = `550 ${part.repeat(60_000 / part.length)}!`;
    const error = { command: "RCPT TO", response, responseCode: 550, permanent: true };
    failureOf(error, false);
    const before = process.cpuUsage();
    expect(failureOf(error, false)).toMatchObject({ outcome: PERMANENT, code: "smtp_550" });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(100);
  });
});

describe("a server that cannot be reached", () => {
  test.each([
    ["a name that does not resolve", "nowhere.test", RETRYABLE, "dns"],
    ["a name of a private address", "private.test", RETRYABLE, "blocked_target"],
    ["a private address", "10.0.0.1", RETRYABLE, "blocked_target"],
    ["a port without a server", "127.0.0.1", RETRYABLE, "refused"],
  ])("because of %s", async (_, host, outcome, code) => {
    expect(await sendVia(1, { host })).toEqual({
      outcome,
      code,
      detail: expect.stringMatching(/^[A-Z].*\.$/),
      lineFault: code === "blocked_target" ? "permanent" : "temporary",
    });
  });
});

describe("a server that fails in a session", () => {
  const hang = () => undefined;
  const close = (socket: Socket) => void socket.end();
  const reset = (socket: Socket) => void socket.resetAndDestroy();
  const drip = (socket: Socket) => {
    const timer = setInterval(() => socket.write("250-more\r\n"), 20);
    socket.once("close", () => clearInterval(timer));
  };

  test.each<[string, Script, AttemptOutcome, string]>([
    ["hangs before its greeting", { greeting: hang }, RETRYABLE, "timeout"],
    ["drips its extensions", { EHLO: drip }, RETRYABLE, "timeout"],
    ["hangs at the recipient", { RCPT: hang }, RETRYABLE, "timeout"],
    ["hangs at DATA", { DATA: hang }, RETRYABLE, "timeout"],
    ["closes before its greeting", { greeting: close }, RETRYABLE, "reset"],
    ["closes at the sender", { MAIL: close }, RETRYABLE, "reset"],
    ["resets at DATA", { DATA: reset }, RETRYABLE, "reset"],
    ["closes after the text", { message: close }, UNCERTAIN, "reset"],
    ["resets after the text", { message: reset }, UNCERTAIN, "reset"],
    ["answers the text with nonsense", { message: "hello" }, UNCERTAIN, "invalid_answer"],
    ["asks for more after the text", { message: "354 go on" }, UNCERTAIN, "smtp_354"],
    ["answers the sender with nonsense", { MAIL: "hello" }, RETRYABLE, "invalid_answer"],
    ["greets with nonsense", { greeting: "hello" }, RETRYABLE, "invalid_answer"],
  ])("%s", async (_, script, outcome, code) => {
    const server = await startScripted(script);
    const result = await sendVia(server.port, { timeoutMs: code === "timeout" ? 300 : 10_000 });
    expect(result).toMatchObject({ outcome, code, detail: expect.stringMatching(/^[A-Z]/) });
  });

  test("hangs after the text, or drips its reply", async () => {
    const servers = await Promise.all([startScripted({ message: hang }), startScripted({ message: drip })]);
    const results = servers.map(({ port }) => sendVia(port, { timeoutMs: 1_500 }));
    const expected = { outcome: UNCERTAIN, code: "timeout", lineFault: "temporary" };
    expect(await Promise.all(results)).toMatchObject([expected, expected]);
  });

  test("has the same time to reply to the text, no matter how long the session took before", async () => {
    const late = (reply: string) => (socket: Socket) => void setTimeout(() => socket.write(reply), 1_200);
    const server = await startScripted({ RCPT: late("250 fine\r\n"), message: late("250 queued\r\n") });
    expect(await sendVia(server.port, { timeoutMs: 2_000 })).toEqual(ACCEPTED);
  });

  test("has accepted the e-mail even if its goodbye is missing", async () => {
    const server = await startScripted({ QUIT: reset });
    expect(await sendVia(server.port)).toEqual(ACCEPTED);
  });
});

describe("a server that sends more than a session needs", () => {
  /** Number of lines in a session, excluding the reply to EHLO. */
  const OTHER_LINES = 5;
  const extensions = (lines: number) => `${"250-more\r\n".repeat(lines - 1)}250 AUTH PLAIN`;
  const flood = (socket: Socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write("\r\n".repeat(8_192)));
    };
    socket.on("drain", write);
    write();
  };
  /** Observes the driver's connections, and counts the bytes that they receive. */
  const watched = (environment: "development" | "production" = "development") => {
    const targets = targetsIn(environment);
    const sockets: Socket[] = [];
    const connect = targets.connect.bind(targets);
    jest.spyOn(targets, "connect").mockImplementation((...target) => {
      const socket = connect(...target);
      sockets.push(socket);
      return socket;
    });
    const received = async () => {
      for (const socket of sockets) if (!socket.closed) await once(socket, "close");
      return Math.max(...sockets.map(({ bytesRead }) => bytesRead));
    };
    return { targets, received };
  };
  /** One read may return this many bytes beyond the limit. */
  const MAX_RECEIVED_BYTES = 2 * 65_536;

  test("may send 200 lines and no more", async () => {
    const most = await startScripted({ EHLO: extensions(MAX_SESSION_LINES - OTHER_LINES) });
    expect(await sendVia(most.port)).toEqual(ACCEPTED);
    const more = await startScripted({ EHLO: extensions(MAX_SESSION_LINES + 1) });
    expect(await sendVia(more.port)).toEqual({
      outcome: RETRYABLE,
      code: "invalid_answer",
      detail: "The server sent more than 200 lines or 65536 bytes.",
      lineFault: "temporary",
    });
  });

  test.each<[string, Script, AttemptOutcome]>([
    ["empty lines before its greeting", { greeting: flood }, RETRYABLE],
    ["empty lines instead of its extensions", { EHLO: flood }, RETRYABLE],
    ["empty lines after the text", { message: flood }, UNCERTAIN],
    [
      "a line without an end",
      { EHLO: (socket) => void socket.write(`250-${"x".repeat(70_000)}`) },
      RETRYABLE,
    ],
  ])("is disconnected: %s", async (_, script, outcome) => {
    const server = await startScripted(script);
    const { targets, received } = watched();
    const result = await sendVia(server.port, { targets, timeoutMs: 600_000 });
    expect(result).toMatchObject({ outcome, code: "invalid_answer" });
    expect(await received()).toBeLessThanOrEqual(MAX_RECEIVED_BYTES);
  });

  test.each<[string, Step]>([
    ["floods", flood],
    ["is silent", () => undefined],
  ])("has accepted the e-mail and is disconnected if it %s after QUIT", async (_, QUIT) => {
    const server = await startScripted({ QUIT });
    const { targets, received } = watched();
    expect(await sendVia(server.port, { targets, timeoutMs: 600_000 })).toEqual(ACCEPTED);
    expect(await received()).toBeLessThanOrEqual(MAX_RECEIVED_BYTES);
  });

  test.each(["tls", "starttls"] as const)("is also disconnected over %s", async (security) => {
    const onSecure: SMTPServerOptions["onSecure"] = (socket, _, callback) => {
      socket.write("\r\n".repeat(MAX_SESSION_LINES + 1));
      callback(null);
    };
    const server = await startServer(withTls({ secure: security === "tls", onSecure }));
    const { targets, received } = watched("production");
    const result = await sendVia(server.port, { security, targets, timeoutMs: 600_000 });
    expect(result).toMatchObject({ outcome: RETRYABLE, code: "invalid_answer" });
    expect(await received()).toBeLessThanOrEqual(MAX_RECEIVED_BYTES);
  });
});

describe("before an e-mail is sent", () => {
  test("the attempt is checked after the reply to DATA, and if it may not send, no line is sent", async () => {
    let closed: Promise<unknown> | undefined;
    const server = await startScripted({
      greeting: (socket) => {
        closed = once(socket, "close");
        socket.write("220 mail.test\r\n");
      },
    });
    let linesWhenAsked = 0;
    const mayLeave = () => {
      linesWhenAsked = server.lines.length;
      return false;
    };
    const attempt = anAttempt({ mayLeave });
    expect(await sendVia(server.port, { attempt, timeoutMs: 600_000 })).toEqual({
      outcome: RETRYABLE,
      code: "lease_lost",
      detail: expect.any(String),
    });
    await closed;
    expect(server.lines.map((line) => line.split(" ")[0])).toEqual(["EHLO", "MAIL", "RCPT", "DATA"]);
    expect(linesWhenAsked).toBe(4);
  });

  test("its signal ends the attempt, which is retryable, or uncertain after the text was sent", async () => {
    const server = await startServer();
    const before = AbortSignal.abort();
    expect(await sendVia(server.port, { attempt: anAttempt({ signal: before }) })).toMatchObject({
      outcome: RETRYABLE,
      code: "aborted",
    });
    const controller = new AbortController();
    const slow = await startScripted({ message: () => controller.abort() });
    expect(await sendVia(slow.port, { attempt: anAttempt({ signal: controller.signal }) })).toMatchObject({
      outcome: UNCERTAIN,
      code: "aborted",
    });
    expect(server.received).toHaveLength(0);
  });
});
