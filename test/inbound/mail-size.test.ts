import { join } from "node:path";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { MAIL_MAX_BYTES } from "../../src/features/inbound/inbound.limits";
import { readMail } from "../../src/features/inbound/mail";
import {
  type MailForThread,
  PARSED_TEXT_MAX_LENGTH,
  RESULT_MAX_BYTES,
} from "../../src/features/inbound/parse-mail";

const THREAD = join(__dirname, "../../src/features/inbound/mail-thread.cjs");

/** As many copies of a text as fit in a number of bytes. */
const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

const multipart = (boundary: string, parts: string) =>
  `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${parts}`;

/** How a mail is filled; the unit is a text that is repeated. */
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
    // From a few bytes to the largest mail, each size of as many bits as often.
    bits: fc.double({ min: 3, max: Math.log2(MAIL_MAX_BYTES - 1_000), noNaN: true }),
  })
  .map(({ shape, unit, bits }) => {
    const raw = `From: anna@example.com\r\n${SHAPES[shape]?.(unit, 2 ** bits)}`;
    return { shape, unit, raw: Buffer.from(raw).subarray(0, MAIL_MAX_BYTES) };
  });

/** Sizes of all messages that a thread posts about a mail (bytes). */
function postedSizes(raw: Buffer): Promise<number[]> {
  const bytes = Uint8Array.from(raw);
  const sizes: number[] = [];
  const workerData: MailForThread = { raw: bytes, isHead: false, maxTextLength: PARSED_TEXT_MAX_LENGTH };
  const worker = new Worker(THREAD, { workerData, transferList: [bytes.buffer] });
  worker.on("message", (message: ArrayBuffer) => sizes.push(message.byteLength));
  return new Promise((resolve, reject) => {
    worker.once("error", reject).once("exit", () => resolve(sizes));
  });
}

test("whatever a mail consists of, its thread posts one small message", async () => {
  await fc.assert(
    fc.asyncProperty(mails, async ({ raw }) => {
      const sizes = await postedSizes(raw);
      expect(sizes).toEqual([expect.any(Number)]);
      expect(sizes[0]).toBeLessThanOrEqual(RESULT_MAX_BYTES);
    }),
    {
      numRuns: 20,
      examples: Object.keys(SHAPES).map((shape) => [
        {
          shape,
          unit: "\0",
          raw: Buffer.from(`From: anna@example.com\r\n${SHAPES[shape]?.("\0", 5_000_000)}`),
        },
      ]),
    },
  );
}, 300_000);

test("a large mail is handed over to its thread, not copied", async () => {
  const raw = Buffer.from(`From: anna@example.com\r\n\r\n${"x".repeat(1_000_000)}`);
  const { text } = await readMail(raw, { id: "1", organizationId: "one", lineId: "one" });
  expect(text).toHaveLength(10_000);
  expect(raw).toHaveLength(0);
});
