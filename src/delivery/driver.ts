/** Outcome of a delivery attempt. */
export enum AttemptOutcome {
  /** The receiver has it. */
  accepted = "accepted",
  /** The attempt failed, but the receiver may accept the message or event later. */
  retryable = "retryable",
  /** The receiver rejected the message or event permanently. */
  permanent = "permanent",
  /** It is unknown whether the receiver has it. */
  uncertain = "uncertain",
}

/** A message to send. */
export interface OutboundMessage {
  /** ID of the message (UUID), the same for every attempt. */
  id: string;
  /** The `Auto-Submitted` header of a mail (RFC 3834); null if a person wrote it. */
  autoSubmitted: "auto-generated" | "auto-replied" | null;
  /** Null for a message outside of any conversation. */
  conversationId: string | null;
  contactId: string | null;
  /** The contact's normalized address; null for a message to no one in particular. */
  to: string | null;
  text: string;
  createdAt: string;
}

/** Result of a delivery attempt. */
export type SendResult = (
  | {
      outcome: AttemptOutcome.accepted;
      /** The receiver's own ID of the message. */
      providerId: string | null;
      /** True if it has also reached the contact. */
      isDelivered: boolean;
    }
  | {
      outcome: AttemptOutcome.retryable | AttemptOutcome.permanent | AttemptOutcome.uncertain;
      /** Error code for programs, such as `timeout` or `http_503`. */
      code: string;
      /** Error message for people, at most 500 characters; never contains a credential. */
      detail: string;
      /** How long the receiver asks to wait (ms). */
      retryAfterMs?: number;
    }
) & {
  /** Status of the answer over HTTP; null if none came. */
  status?: number | null;
  /** How long it took (ms). */
  durationMs?: number;
};

/** The conditions of an attempt to send. */
export interface Attempt {
  /** 1 for the first attempt. */
  number: number;
  /** Ends the attempt early. */
  signal: AbortSignal;
  /**
   * True if the message may still be sent. Drivers ask just before its first byte, because a process that was frozen no
   * longer holds the message.
   */
  mayLeave(): boolean;
}

/**
 * Sends a message on a line of one kind, and never rejects: what goes wrong is part of the result.
 * It ends within `SEND_TIMEOUT_MS`.
 */
export type Send = (message: OutboundMessage, attempt: Attempt) => Promise<SendResult>;

/** Max length of the ID of a message in another system. */
export const PROVIDER_ID_MAX_LENGTH = 200;

/** Max time of an attempt (ms), well inside the lease of the lane that it belongs to. */
export const SEND_TIMEOUT_MS = 15_000;
