import { enumOf } from "../common/declared-enum";

export const AttemptOutcome = enumOf("AttemptOutcome", "Outcome of a delivery attempt.", {
  accepted: "The receiver accepted the message or event.",
  retryable: "The attempt failed, but the receiver may accept the message or event later.",
  permanent: "The receiver rejected the message or event permanently.",
  uncertain: "It is unknown whether the receiver got the message or event.",
});
export type AttemptOutcome = keyof typeof AttemptOutcome;

export interface MailThread {
  /** Subject of the e-mail that the thread continues; null to use the line's subject. */
  subject: string | null;
  /**
   * The message IDs of the thread, oldest first. A gateway message with an unknown `Message-ID` is listed by
   * its own ID, without angle brackets.
   */
  references: readonly string[];
}

export interface OutboundMessage {
  /** ID of the message (UUID), the same on every attempt. */
  id: string;
  /** The `Auto-Submitted` header of an e-mail (RFC 3834); null if a person wrote the message. */
  autoSubmitted: "auto-generated" | "auto-replied" | null;
  /** The thread of an e-mail; undefined for the first e-mail of a thread and on other lines. */
  thread?: MailThread | undefined;
  /** ID of the message's conversation; null for a standalone message. */
  conversationId: string | null;
  contactId: string | null;
  /** The contact's normalized address; null if the message has no recipient. */
  to: string | null;
  text: string;
  /** Subject of an e-mail that starts a conversation; undefined or null to use the line's subject. */
  subject?: string | null;
  /** The text of an e-mail as HTML; undefined or null if there is none. */
  html?: string | null;
  /** The link that opts the contact out of the e-mail's topic. */
  unsubscribeUrl?: string | undefined;
  createdAt: string;
}

export type SendResult = (
  | {
      outcome: typeof AttemptOutcome.accepted;
      /** The receiver's ID for the message. */
      providerId: string | null;
      /** True if the message has also been delivered to the contact. */
      isDelivered: boolean;
    }
  | {
      outcome: Exclude<AttemptOutcome, typeof AttemptOutcome.accepted>;
      /** Error code for programs, such as `timeout` or `http_503`. */
      code: string;
      /** Error message for people, at most 500 characters; never contains a credential. */
      detail: string;
      /** Delay before a retry, as requested by the receiver (ms); 0 if nothing was sent because no sender was free. */
      retryAfterMs?: number;
      /**
       * Set if the line is at fault, not the message. A permanent fault remains until the line or its account changes.
       */
      lineFault?: "temporary" | "permanent";
      /** True if the receiver says that the address does not exist. */
      isUndeliverable?: true;
    }
) & {
  /** HTTP status of the response; null if there was none. */
  status?: number | null;
  /** Duration of the attempt (ms). */
  durationMs?: number;
  /** The headers that were sent, or null if no request was sent. */
  headers?: Readonly<Record<string, string>> | null;
};

export interface Attempt {
  /** Number of the attempt, 1 for the first one. */
  number: number;
  /** Aborted to end the attempt early. */
  signal: AbortSignal;
  /** True if the message may still be sent; checked before the first byte, as another process may have taken over. */
  mayLeave(): boolean;
}

/** Sends a message on one line. Never rejects: errors are part of the result. */
export type Send = (message: OutboundMessage, attempt: Attempt) => Promise<SendResult>;

/** Max length of another system's ID for a message. */
export const PROVIDER_ID_MAX_LENGTH = 200;

/** Max duration of an attempt (ms), and of the wait for the reply to an e-mail's text, well within a lane's lease. */
export const SEND_TIMEOUT_MS = 15_000;
