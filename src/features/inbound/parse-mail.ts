import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Semaphore } from "../../database/semaphore";
import { GatewayError } from "../../errors";
import { MESSAGE_TEXT_MAX_LENGTH } from "../messages/message.limits";

/** How long a thread may take to parse a mail (ms); one of 10 MB takes 0.5 s. */
const TIMEOUT_MS = 5_000;

/** Memory of a thread that parses a mail (MB). */
const MAX_MEMORY_MB = 256;

/** Max mails that are parsed at the same time, each on a core and of another organization. */
const MAX_THREADS = 2;

/** How long a mail waits for those before it (ms), after which the mail server is to try again. */
const WAIT_TIMEOUT_MS = 30_000;

/** Max mails of an organization that are parsed or wait, after which its mail servers are to try again. */
const MAX_MAILS_PER_ORGANIZATION = 30;

// Created once, because capturing a stack per error is expensive during an attack.
const TOO_MANY = new GatewayError("unavailable", "Too many e-mails are waiting. Try again soon.");
const TOO_LATE = new GatewayError("unavailable", "The e-mail could not be read in time. Try again soon.");

/** The start of a mail that is parsed if the whole takes too long (bytes): a text of max length in any encoding. */
const HEAD_BYTES = 131_072;

/** Max size of the result of a thread (bytes), each character escaped. */
export const RESULT_MAX_BYTES = 262_144;

/** Max length of a text that a thread returns: of characters of two code units, one more than is kept. */
export const PARSED_TEXT_MAX_LENGTH = 2 * (MESSAGE_TEXT_MAX_LENGTH + 1);

/** The line that a mail arrived on. */
export interface MailLine {
  organizationId: string;
  lineId: string;
}

/** A mail as a thread gets it. */
export interface MailForThread {
  raw: Uint8Array;
  /** True for the start of a longer mail. */
  isHead: boolean;
  maxTextLength: number;
}

/** The part of a mail that is used. */
export interface ParsedMail {
  from: { address: string; name: string } | undefined;
  subject: string;
  messageId: string;
  date: string;
  /** The text, or else the subject, up to `PARSED_TEXT_MAX_LENGTH`. */
  text: string;
  /** The number of attachments. */
  attachments: number;
  attachmentNames: string[];
  isAutomatic: boolean;
  /** True if the mail was too long or too slow to be parsed as a whole. */
  isPartial: boolean;
}

const threads = new Semaphore(MAX_THREADS);
const turns = new Map<string, { turn: Semaphore; mails: number }>();

/**
 * Parses a mail: as a whole, or else its start. An organization uses one thread at a time, in which its lines take turns,
 * so that slow mails hold up neither other organizations nor all lines of their own.
 * @param raw the bytes, which a thread takes over: the buffer is empty afterwards
 * @param line the line that it arrived on
 * @returns undefined for a mail that cannot be parsed
 * @throws GatewayError `unavailable` if it would wait too long
 */
export async function parseMail(
  raw: Buffer,
  { organizationId, lineId }: MailLine,
): Promise<ParsedMail | undefined> {
  const own = turns.get(organizationId) ?? { turn: new Semaphore(1), mails: 0 };
  if (own.mails >= MAX_MAILS_PER_ORGANIZATION) throw TOO_MANY;
  turns.set(organizationId, own);
  own.mails += 1;
  try {
    return await holding(own.turn, lineId, () =>
      holding(threads, organizationId, () => parseWholeOrStart(raw)),
    );
  } finally {
    own.mails -= 1;
    if (own.mails === 0) turns.delete(organizationId);
  }
}

async function holding<T>(permits: Semaphore, owner: string, job: () => Promise<T>): Promise<T> {
  await permits.acquire(WAIT_TIMEOUT_MS, owner);
  try {
    return await job();
  } finally {
    permits.release(owner);
  }
}

/** @throws GatewayError `unavailable` if even the start takes too long, which a busy machine may be the cause of */
async function parseWholeOrStart(raw: Buffer): Promise<ParsedMail | undefined> {
  const isLong = raw.length > HEAD_BYTES;
  // A copy, because a buffer of this size may be part of a shared one.
  const head = Uint8Array.from(raw.subarray(0, HEAD_BYTES));
  const whole = isLong ? await parse(raw, false).catch(() => undefined) : undefined;
  return whole ?? parse(head, isLong);
}

/**
 * Parses a mail in its own thread: a maliciously slow one would otherwise stop the server, and an attachment
 * delay it.
 * @returns undefined for a mail that cannot be parsed, or not with the memory of a thread
 * @throws GatewayError `unavailable` if it takes too long
 */
async function parse(raw: Uint8Array, isHead: boolean): Promise<ParsedMail | undefined> {
  const worker = new Worker(join(__dirname, "mail-thread.cjs"), {
    workerData: { raw, isHead, maxTextLength: PARSED_TEXT_MAX_LENGTH } satisfies MailForThread,
    transferList: [raw.buffer as ArrayBuffer],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const result = await new Promise<ArrayBuffer | undefined>((resolve, reject) => {
      // A busy machine can take long to start a thread.
      worker.once("online", () => {
        timer = setTimeout(() => reject(TOO_LATE), TIMEOUT_MS);
      });
      worker.once("message", resolve).once("error", () => resolve(undefined));
    });
    if (result === undefined || result.byteLength > RESULT_MAX_BYTES) return undefined;
    return JSON.parse(Buffer.from(result).toString()) ?? undefined;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
