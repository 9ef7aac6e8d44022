import { once } from "node:events";
import { join } from "node:path";
import threads, { Worker } from "node:worker_threads";
import { MAIL_MAX_BYTES } from "../../src/features/inbound/inbound.limits";
import { readMail } from "../../src/features/inbound/mail";
import { IDLE_TIMEOUT_MS, type MailForThread } from "../../src/features/inbound/mail-threads";
import { PARSED_TEXT_MAX_LENGTH, RESULT_MAX_BYTES, TIMEOUT_MS } from "../../src/features/inbound/parse-mail";
import fc from "../support/generated";
import { slowTest } from "../support/slow-test";
import { cases } from "../support/tiers";

/** Returns an e-mail with these lines; the first ones are headers. */
const mail = (...lines: string[]): string => lines.join("\r\n");

const PLAIN = ["From: Anna Müller <Anna@Example.com>", "Subject: A question"];

const HTML = ["From: anna@example.com", "Content-Type: text/html", "", "Hello"];

/** HTML that contains only a signature, marked as by mail programs. */
const MARKED_SIGNATURES = [
  '<div><br></div><div class="gmail_signature"><div>Anna</div></div>',
  '<span class="gmail_signature_prefix">-- </span><br><div class="gmail_signature">Anna</div>',
  '<div class="moz-signature">-- <br>Anna</div>',
  '<div class="protonmail_signature_block"><div class="protonmail_signature_block-user">Anna</div></div>',
];

/** HTML whose conversion takes quadratic time. */
const SLOW = '<a href="\r\n';

describe("an e-mail", () => {
  // A busy machine may take any amount of time to read an e-mail, so time passes only when a test says so.
  beforeAll(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
  });
  afterAll(() => {
    jest.advanceTimersByTime(IDLE_TIMEOUT_MS);
    jest.useRealTimers();
  });

  const read = (raw: string, line = { organizationId: "one", lineId: "one" }) =>
    readMail([Buffer.from(raw)], { id: "1", ...line });
  const LONG = "the text after 10,000 characters";

  type Large = [name: string, lines: string[], expected: { text?: string; omitted: string | null }];
  const isReadInPart = async (...[, lines, expected]: Large) =>
    expect(await read(mail(...lines))).toMatchObject(expected);

  test.each<Large>([
    ["styles that never end", [...HTML, "<style>\r\n".repeat(35_000)], { text: "Hello", omitted: null }],
    ["many titles", [...HTML, "<title>x</TITLE >".repeat(150_000)], { text: "Hello", omitted: null }],
    [
      "a list ID of 120,000 characters",
      [...PLAIN, `List-ID: ${"x".repeat(120_000)}<`, "", "Hello"],
      { text: "Hello", omitted: null },
    ],
    ["149,000 blank lines", [...PLAIN, "", "\n".repeat(149_000)], { text: "A question", omitted: null }],
    [
      "an attachment of 10 MB",
      [
        ...PLAIN,
        "Content-Type: multipart/mixed; boundary=b",
        "",
        ...["--b", "Content-Type: image/png", "Content-Transfer-Encoding: base64", ""],
        `${"A".repeat(76)}\r\n`.repeat(130_000),
        ...["--b", "", "Hello", "--b--"],
      ],
      { text: "Hello", omitted: "1 attachment" },
    ],
  ])("with %s is read up to the part that is kept", isReadInPart);

  slowTest.each<Large>([
    ["links that never end", [...HTML, SLOW.repeat(100_000)], { omitted: LONG }],
    [
      "450,000 lines",
      [...PLAIN, "", "A line of 18 chars\r\n".repeat(450_000)],
      { omitted: `${LONG} and the rest of the e-mail` },
    ],
    [
      "long flowed lines",
      [
        ...[...PLAIN, "Content-Type: text/plain; format=flowed", "", "Hello", ""],
        `>${" ".repeat(999_998)}x\r\n`.repeat(5),
        `${" ".repeat(999_999)}x \r\n`.repeat(5),
      ],
      { text: "Hello", omitted: LONG },
    ],
    ["10 MiB of plain text", [...PLAIN, "", `${"x".repeat(68)}\r\n`.repeat(149_700)], { omitted: LONG }],
  ])("with %s is read up to the part that is kept", isReadInPart);

  test.each<[string[], unknown]>([
    [["Subject: Re: Your order", "", "STOP", "", "-- ", "Anna"], "-- \nAnna"],
    [
      ["Subject: Re: Offer", "", "STOP", "", "Sent from my T-Mobile 4G LTE Device"],
      "Sent from my T-Mobile 4G LTE Device",
    ],
    [["Subject: STOP", "", "-- ", "Anna"], "-- \nAnna"],
    [["Subject: STOP", "", "Sent from my iPhone"], "Sent from my iPhone"],
    ...MARKED_SIGNATURES.map((html): [string[], unknown] => [
      ["Subject: STOP", "Content-Type: text/html", "", html],
      expect.stringMatching(/^> -- \n[>\s]*Anna[>\s]*$/),
    ]),
  ])("is kept with its signature, and its sender's intent is known", async (lines, quoted) => {
    const message = await read(mail("From: anna@example.com", ...lines));
    expect(message).toMatchObject({ text: "STOP", mail: { quoted }, optOutText: "STOP" });
  });

  test("is read by the thread that read the previous one, unless that thread was idle for too long", async () => {
    const small = mail(...PLAIN, "", "Hi");
    await read(small);
    const starting = jest.spyOn(threads, "Worker");
    expect(await read(small)).toMatchObject({ text: "Hi" });
    expect(starting).not.toHaveBeenCalled();
    starting.mockRestore();
    // A thread that is ending would never answer.
    jest.advanceTimersByTime(IDLE_TIMEOUT_MS);
    expect(await read(small)).toMatchObject({ text: "Hi" });
  });

  test("that is large is transferred to its thread, not copied", async () => {
    const raw = Buffer.from(`From: anna@example.com\r\n\r\n${"x".repeat(1_000_000)}`);
    const message = await readMail([raw], { id: "1", organizationId: "one", lineId: "one" });
    expect(message).toHaveProperty("text.length", 10_000);
    expect(raw).toHaveLength(0);
  });

  test("that is slow is read in part, and delays only e-mails of its own organization, whose lines take turns", async () => {
    const html = "<p>Hello</p>\r\n".repeat(9_000) + SLOW.repeat(40_000);
    const parts = ["--b", "", "Hello", "--b", "Content-Type: text/html", "", html, "--b--"];
    const slow = mail(...PLAIN, "Content-Type: multipart/mixed; boundary=b", "", ...parts);
    const ended: string[] = [];
    const reading = async (name: string, raw: string, organizationId: string, lineId: string) => {
      const message = await read(raw, { organizationId, lineId });
      ended.push(name);
      return message;
    };
    const small = mail(...PLAIN, "", "Hi");
    // Prepares two threads, so that one gets the slow e-mail before the other has read an e-mail.
    await Promise.all(
      ["greedy", "modest"].map((organizationId) => read(small, { organizationId, lineId: "" })),
    );
    const greedy = Promise.all([
      reading("slow", slow, "greedy", "one"),
      reading("same line", small, "greedy", "one"),
      reading("same line again", small, "greedy", "one"),
      reading("other line", small, "greedy", "two"),
    ]);
    await reading("other organization", small, "modest", "three");
    jest.advanceTimersByTime(TIMEOUT_MS);
    const [first] = await greedy;
    expect(ended).toEqual(["other organization", "slow", "same line", "other line", "same line again"]);
    expect(first).toMatchObject({
      text: expect.stringMatching(/^Hello/),
      omitted: `${LONG} and the rest of the e-mail`,
    });
  });

  test("that comes after 30 others of its organization is rejected, and other organizations' e-mails are read", async () => {
    const small = mail(...PLAIN, "", "Hi");
    const outcomes = Promise.allSettled(
      Array.from({ length: 31 }, (_, i) => read(small, { organizationId: "greedy", lineId: `${i}` })),
    );
    expect(await read(small, { organizationId: "modest", lineId: "one" })).toMatchObject({ text: "Hi" });
    const rejected = (await outcomes).filter(({ status }) => status === "rejected");
    expect(rejected).toMatchObject([{ reason: { code: "unavailable" } }]);
  });
});

const THREAD = join(__dirname, "../../src/features/inbound/mail-thread/thread.cjs");

/** Returns as many copies of a string as fit in a number of bytes. */
const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

const multipart = (boundary: string, parts: string) =>
  `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${parts}`;

/** Ways to fill an e-mail by repeating a string. */
const SHAPES: Readonly<Record<string, (unit: string, bytes: number) => string>> = {
  text: (unit, bytes) => `\r\n${filled(unit, bytes)}`,
  "a text after blank lines": (unit, bytes) =>
    `\r\n${filled("\r\n", bytes / 100)}${filled(unit, bytes * 0.99)}`,
  html: (unit, bytes) => `Content-Type: text/html\r\n\r\n${filled(`<p>${unit}</p>`, bytes)}`,
  subject: (unit, bytes) => `Subject: ${filled(`${unit}\r\n `, bytes)}\r\n\r\n`,
  "message ID": (unit, bytes) => `Message-ID: <${filled(unit, bytes)}>\r\n\r\nHello`,
  date: (unit, bytes) => `Date: ${filled(unit, bytes)}\r\n\r\nHello`,
  headers: (unit, bytes) => `${filled(`X-${unit}: ${unit}\r\n`, bytes)}\r\nHello`,
  addresses: (unit, bytes) => `To: ${filled(`${unit}@example.com, `, bytes)}\r\n\r\nHello`,
  names: (unit, bytes) =>
    `\r\nContent-Disposition: attachment; filename="${filled(unit, bytes)}"\r\n\r\nHello`,
  attachments: (unit, bytes) =>
    multipart(
      "b",
      filled(`--b\r\nContent-Disposition: attachment; filename="${unit}"\r\n\r\n${unit}\r\n`, bytes),
    ),
  depth: (unit, bytes) => {
    const depth = Math.min(250, Math.floor(bytes / 70));
    const open = Array.from({ length: depth }, (_, i) => multipart(`b${i}`, `--b${i}\r\n`)).join("");
    return `${open}\r\n${filled(unit, bytes - open.length)}`;
  },
};

const mails = fc
  .record({
    shape: fc.constantFrom(...Object.keys(SHAPES)),
    unit: fc.oneof(
      fc.constantFrom("\0", "x", "\n", "\ud83d\udce6", "<a href=", "--b\r\n", "=?utf-8?q?=00?= "),
      fc.string({ unit: "binary", minLength: 1, maxLength: 100 }),
    ),
    // From a few bytes to the largest e-mail; all orders of magnitude are equally likely.
    bits: fc.double({ min: 3, max: Math.log2(MAIL_MAX_BYTES - 1_000), noNaN: true }),
  })
  .map(({ shape, unit, bits }) => {
    const raw = `From: anna@example.com\r\n${SHAPES[shape]?.(unit, 2 ** bits)}`;
    return { shape, unit, raw: Buffer.from(raw).subarray(0, MAIL_MAX_BYTES) };
  });

/**
 * Posts e-mails to a thread, one after the other.
 * @returns the sizes of the messages that it posts in return (bytes)
 */
async function postedSizes(thread: Worker, mails: Buffer[]): Promise<number[]> {
  const sizes: number[] = [];
  const add = (message: ArrayBuffer) => sizes.push(message.byteLength);
  thread.on("message", add);
  for (const raw of mails) {
    const mail: MailForThread = { raw: [raw], isHead: false, maxTextLength: PARSED_TEXT_MAX_LENGTH };
    thread.postMessage(mail);
    await once(thread, "message");
  }
  thread.off("message", add);
  return sizes;
}

slowTest(
  "whatever an e-mail consists of, its thread posts one small message, and reads the next",
  async () => {
    const thread = new Worker(THREAD);
    try {
      await fc.assert(
        fc.asyncProperty(mails, async ({ raw }) => {
          const sizes = await postedSizes(thread, [raw, Buffer.from(mail(...PLAIN, "", "Hi"))]);
          expect(sizes).toEqual([expect.any(Number), expect.any(Number)]);
          expect(sizes[0]).toBeLessThanOrEqual(RESULT_MAX_BYTES);
        }),
        {
          numRuns: cases(40),
          examples: Object.keys(SHAPES).map((shape) => [
            {
              shape,
              unit: "\0",
              raw: Buffer.from(`From: anna@example.com\r\n${SHAPES[shape]?.("\0", 5_000_000)}`),
            },
          ]),
        },
      );
    } finally {
      await thread.terminate();
    }
  },
  300_000,
);
