import { Semaphore } from "../../database/semaphore";
import { GatewayError } from "../../errors";
import { MESSAGE_TEXT_MAX_LENGTH } from "../messages/message.limits";
import { MailThread } from "./mail-threads";

/** Max time for a thread to parse an e-mail (ms); 10 MB take 0.5 s. */
export const TIMEOUT_MS = 5_000;

/** Max e-mails parsed concurrently, each on its own core and for a different organization. */
const MAX_THREADS = 2;

/** Max time an e-mail can wait for earlier e-mails (ms); after that, the mail server must retry. */
const WAIT_TIMEOUT_MS = 30_000;

/** Max e-mails per organization in progress or waiting; beyond that, mail servers must retry. */
const MAX_MAILS_PER_ORGANIZATION = 30;

// Created once, because capturing a stack trace per error would be expensive during an attack.
const TOO_MANY = new GatewayError("unavailable", "Too many e-mails are waiting. Try again soon.");
const TOO_LATE = new GatewayError("unavailable", "The e-mail could not be read in time. Try again soon.");

/** Bytes at an e-mail's start to parse if the whole takes too long; enough for the longest text in any encoding. */
const HEAD_BYTES = 131_072;

/** Max size of a thread's result (bytes), with each character escaped. */
export const RESULT_MAX_BYTES = 524_288;

/** Max length of a thread's strings (UTF-16 code units): one character longer than the stored text. */
export const PARSED_TEXT_MAX_LENGTH = 2 * (MESSAGE_TEXT_MAX_LENGTH + 1);

export interface MailLine {
  organizationId: string;
  lineId: string;
}

export interface ParsedMail {
  /** The possible sender addresses, best first. */
  senders: { address: string; name: string }[];
  /** The author according to `X-Original-Sender` or `Reply-To`. */
  author?: { address: string; name: string };
  /** The addresses, in lowercase, of the mailing list that forwarded the e-mail. */
  lists: string[];
  subject: string;
  messageId: string;
  /** The message IDs of the thread, oldest first: `References` and `In-Reply-To`. */
  references: string[];
  date: string;
  /** The text, or the subject if there is none, up to `PARSED_TEXT_MAX_LENGTH`. */
  text: string;
  /** The text of the HTML, with the same limit, if the HTML marks quotations and there is also plain text. */
  html?: string;
  attachments: number;
  attachmentNames: string[];
  isAutomatic: boolean;
  /** True if a program wrote the e-mail. Unlike `isAutomatic`, false if a mailing list only forwarded it. */
  isProgram: boolean;
  /** True for a mail server's report, such as a bounce. */
  isReport: boolean;
  /** The reported e-mail, which could not be delivered or which its recipient complained about. */
  report?: { messageId: string; isComplaint: boolean; status: string; detail: string };
  /** True if the e-mail was too long, or took too long, to be parsed completely. */
  isPartial: boolean;
}

const threads = new Semaphore(MAX_THREADS);
const turns = new Map<string, { turn: Semaphore; mails: number }>();

/**
 * Parses an e-mail, or at least its start. Each organization uses one thread at a time, and its lines take
 * turns. Slow e-mails therefore do not delay other organizations, and delay other lines only briefly.
 * @param raw the bytes in chunks, transferred to a thread, so the buffers may be empty afterwards
 * @returns undefined for an e-mail that cannot be parsed
 * @throws GatewayError `unavailable` if the wait is too long
 */
export async function parseMail(
  raw: readonly Buffer[],
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

/** @throws GatewayError `unavailable` if even the start takes too long, as on a busy machine */
async function parseWholeOrStart(raw: readonly Buffer[]): Promise<ParsedMail | undefined> {
  const length = raw.reduce((sum, part) => sum + part.length, 0);
  const isLong = length > HEAD_BYTES;
  const head = Buffer.concat(raw, Math.min(length, HEAD_BYTES));
  const whole = isLong ? await parse(raw, false).catch(() => undefined) : undefined;
  return whole ?? parse([head], isLong);
}

/**
 * Parses an e-mail in a thread, so that a slow or large e-mail does not block the server.
 * @returns undefined for an e-mail that cannot be parsed or needs more memory than a thread has
 * @throws GatewayError `unavailable` if it takes too long
 */
async function parse(parts: readonly Uint8Array[], isHead: boolean): Promise<ParsedMail | undefined> {
  const thread = await MailThread.take();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(TOO_LATE), TIMEOUT_MS);
  try {
    // Copies parts of a larger buffer, because that buffer may be shared.
    const raw = parts.map((part) => (part.length === part.buffer.byteLength ? part : new Uint8Array(part)));
    const mail = { raw, isHead, maxTextLength: PARSED_TEXT_MAX_LENGTH };
    const result = await thread.parse(mail, timeout.signal);
    if (result === undefined || result.byteLength > RESULT_MAX_BYTES) return undefined;
    return JSON.parse(Buffer.from(result).toString()) ?? undefined;
  } finally {
    clearTimeout(timer);
  }
}
