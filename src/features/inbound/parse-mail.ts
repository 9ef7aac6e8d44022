import type * as Threads from "node:worker_threads";
import { Worker } from "node:worker_threads";
import type * as PostalMimeModule from "postal-mime";
import type PostalMime from "postal-mime";
import { Semaphore } from "../../database/semaphore";

/** How long a thread may take to parse a mail (ms); one of 10 MB with an attachment takes 0.3 s. */
const TIMEOUT_MS = 5_000;

/** Memory of a thread that parses a mail (MB). */
const MAX_MEMORY_MB = 256;

/** Max mails that are parsed at the same time, each on a core. */
const MAX_THREADS = 2;

/** How long a mail waits for those before it (ms), after which the mail server is to try again. */
const WAIT_TIMEOUT_MS = 30_000;

/** Lines of a mail that are parsed: 10 MiB of base64 have 137,000, and each costs the parser 2 KB of memory. */
const MAX_LINES = 150_000;

/** What is parsed of a mail that takes too long as a whole (bytes): a text of max length in any encoding. */
const HEAD_BYTES = 131_072;

/** What is used of a mail. */
export interface ParsedMail {
  from: { address: string; name: string } | undefined;
  subject: string;
  messageId: string;
  date: string;
  text: string;
  attachments: string[];
  isAutomatic: boolean;
  /** Whether the mail was too long or too slow to be parsed as a whole. */
  isPartial: boolean;
}

const threads = new Semaphore(MAX_THREADS);
const lines = new Map<string, { turn: Semaphore; mails: number }>();

/**
 * Parses a mail: as a whole, or else its start. Mails of a line are parsed one at a time, so that a line with slow ones
 * does not hold up the others.
 * @returns undefined for one that cannot be parsed
 * @throws GatewayError `unavailable` if it would wait too long
 */
export async function parseMail(raw: Buffer, lineId: string): Promise<ParsedMail | undefined> {
  const line = lines.get(lineId) ?? { turn: new Semaphore(1), mails: 0 };
  lines.set(lineId, line);
  line.mails += 1;
  try {
    return await holding(line.turn, () => holding(threads, () => parseWholeOrStart(raw)));
  } finally {
    line.mails -= 1;
    if (line.mails === 0) lines.delete(lineId);
  }
}

async function holding<T>(permits: Semaphore, job: () => Promise<T>): Promise<T> {
  await permits.acquire(WAIT_TIMEOUT_MS);
  try {
    return await job();
  } finally {
    permits.release();
  }
}

async function parseWholeOrStart(raw: Buffer): Promise<ParsedMail | undefined> {
  const most = firstLines(raw, MAX_LINES);
  for (const part of [most, most.subarray(0, HEAD_BYTES)]) {
    const isPartial = part.length < raw.length;
    // Without the end of its header, a mail may miss what says who wrote it.
    if (isPartial && !hasBody(part)) return undefined;
    const parsed = await parse(part);
    if (parsed !== undefined) return { ...parsed, isPartial };
    if (most.length <= HEAD_BYTES) return undefined;
  }
  return undefined;
}

function firstLines(raw: Buffer, max: number): Buffer {
  let end = 0;
  for (let count = 0; count < max; count += 1) {
    end = raw.indexOf("\n", end) + 1;
    if (end === 0) return raw;
  }
  return raw.subarray(0, end);
}

const hasBody = (part: Buffer): boolean => part.includes("\r\n\r\n") || part.includes("\n\n");

/**
 * Parses a mail in a thread of its own: one that is made to be slow would otherwise stop the server, and an attachment
 * delay it.
 * @returns undefined for one that cannot be parsed, or not with the time and memory of a thread
 */
async function parse(raw: Buffer): Promise<Omit<ParsedMail, "isPartial"> | undefined> {
  const worker = new Worker(`(${parseInThread})()`, {
    eval: true,
    // A copy: the buffer may be a part of a larger one.
    workerData: { raw: Uint8Array.from(raw), postalMime: require.resolve("postal-mime") },
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      const giveUp = () => resolve(undefined);
      timer = setTimeout(giveUp, TIMEOUT_MS);
      worker.once("message", resolve);
      worker.once("error", giveUp);
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** Runs in a thread, from its source: it must use nothing of this module. */
async function parseInThread(): Promise<void> {
  const { parentPort, workerData }: typeof Threads = require("node:worker_threads");
  const parser: typeof PostalMime = require(workerData.postalMime);
  const { addressParser }: typeof PostalMimeModule = require(workerData.postalMime);
  const mail = await parser.parse(workerData.raw, { forceRfc822Attachments: true }).catch(() => undefined);
  if (mail === undefined) {
    parentPort?.postMessage(undefined);
    return;
  }
  const MAX_SENDER_LENGTH = 2_000;
  const { subject = "", messageId = "", date = "", html, attachments, headers } = mail;
  const valuesOf = (name: string) =>
    headers.flatMap(({ key, value }) => (key === name ? [value.replace(/\s/g, "").toLowerCase()] : []));
  const from = senderOf(headers.flatMap(({ key, value }) => (key === "from" ? [value] : [])));
  let { text = "" } = mail;
  if (text.trim() === "" && html !== undefined) {
    // The parser makes text of HTML where a mail has parts of both kinds.
    const parts = [
      "Content-Type: multipart/mixed; boundary=part",
      "",
      "--part",
      "Content-Type: text/plain",
      "",
      "",
      "--part",
      "Content-Type: text/html; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(shownOf(html)).toString("base64"),
      "--part--",
    ];
    text = (await parser.parse(parts.join("\r\n"))).text ?? "";
  }
  parentPort?.postMessage({
    from,
    subject,
    messageId,
    date,
    text,
    attachments: attachments.map(({ filename }) => filename ?? ""),
    // RFC 3834, 2 and 5, and what is older than it. `X-Auto-Response-Suppress` is no sign: people's mail may have it, too.
    isAutomatic:
      valuesOf("auto-submitted").some((value) => !/^(no)?([;(]|$)/.test(value)) ||
      valuesOf("precedence").some((value) => /^(bulk|list|junk|auto_reply)$/.test(value)) ||
      [...valuesOf("x-autoreply"), ...valuesOf("x-autorespond")].some((value) => value !== "no") ||
      valuesOf("return-path").includes("<>") ||
      valuesOf("content-type").some((value) => value.startsWith("multipart/report")) ||
      valuesOf("list-id").length > 0 ||
      /^(mailer-daemon|postmaster)@/i.test(from?.address ?? ""),
  } satisfies Omit<ParsedMail, "isPartial">);

  /** The only address of the only `From`: of several, a mail server may have checked another one. */
  function senderOf([value = "", ...others]: string[]): ParsedMail["from"] {
    if (others.length > 0 || value.length > MAX_SENDER_LENGTH) return undefined;
    const found = addressParser(value, { flatten: true });
    const [sender, ...more] = found.flatMap(({ address = "" }) => (address.includes("@") ? [address] : []));
    const unquoted = value.replace(/"(?:[^"\\]|\\.)*"/g, "");
    // The parser finds addresses within encoded words, and takes the first of several in angle brackets.
    const isOne = sender !== undefined && more.length === 0 && unquoted.split("<").length <= 2;
    if (!isOne || !value.includes(sender)) return undefined;
    // A comma in a name without quotes divides it.
    return { address: sender, name: found.flatMap(({ name }) => name || []).join(", ") };
  }

  /** HTML without what is not shown, and without tags that never end, on which the parser takes quadratic time. */
  function shownOf(html: string): string {
    const shown: string[] = [];
    const start = /<(style|script|title)\b/gi;
    let from = 0;
    for (let found = start.exec(html); found !== null; found = start.exec(html)) {
      const end = new RegExp(`</${found[1]}\\s*>`, "gi");
      end.lastIndex = start.lastIndex;
      // Browsers show nothing after one that never ends.
      const isClosed = end.test(html);
      shown.push(html.slice(from, found.index));
      from = isClosed ? end.lastIndex : html.length;
      start.lastIndex = from;
    }
    const text = shown.concat(html.slice(from)).join("");
    const lastTag = text.lastIndexOf(">") + 1;
    return text.slice(0, lastTag) + text.slice(lastTag).replaceAll("<", "&lt;");
  }
}
