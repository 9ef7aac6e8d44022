import type { Timestamp } from "../../../common/time";
import type { ReviewDemand } from "../../messages/message-gate";
import type { TimerCanceler } from "./effect-format";

/** The reason why an effect fails. */
export interface EffectError {
  code:
    | "template_error"
    | "too_expensive"
    | "limit_reached"
    | "invalid_request"
    | "not_found"
    | "conflict"
    | "no_model"
    | "model_failed"
    | "model_timeout"
    | "model_invalid";
  message: string;
}

/**
 * An action that an agent takes. `text` is null only if there is an error, and `template` if a model wrote
 * the text or a message is resent. With `whileHuman`, the action applies even while a human answers.
 */
export type Effect = { ruleId: string | null; error: EffectError | null; whileHuman?: true } & (
  | {
      kind: "send";
      template: string | null;
      text: string | null;
      /** The language tag of the template's translation; undefined for its own text. */
      locale?: string;
      /** Subject of an e-mail that starts a conversation; undefined if there is none. */
      subject?: string;
      /** The text as HTML, for e-mails; undefined if there is none. */
      html?: string;
      line: string | null;
      /** ID of the failed message to resend. */
      resendOf?: string;
      /** Set instead of `line`: the message is sent on the first line that can reach the contact. */
      lines?: readonly string[];
      /** Sends the message in the latest open conversation with the contact, on any line. */
      reuse?: "latest";
      delaySeconds: number;
      /** Topic of the message; undefined if there is none. */
      topic?: string;
      /** True if the message bypasses windows and caps. */
      isUrgent?: true;
      /** The rule or policy that requires a person's approval; undefined if neither does. */
      review?: ReviewDemand;
    }
  | { kind: "addTags" | "removeTags"; tags: readonly string[] }
  | { kind: "move"; line: string; pending: "cancel" | "carry" }
  | { kind: "handoff"; reason: string; scope?: "contact" }
  | { kind: "close" }
  | {
      kind: "ask";
      template: string;
      prompt: string | null;
      /** The topic of the model's message; undefined if it has none. */
      topic?: string;
      /** The rule or policy that requires a review of the model's message; undefined if none does. */
      review?: ReviewDemand;
      maxLength: number | null;
      tags: readonly string[];
      handoff: boolean;
      /** Number of earlier messages sent to the model; undefined if none are sent. */
      history?: number;
      /** Texts for the model to use; undefined if there are none or the effect has an error. */
      texts?: readonly AskText[];
    }
  | ({ kind: "later"; situation: string; unless: readonly TimerCanceler[] } & TimerTexts)
  | { kind: "cancelTimer"; key: string | null }
);

/** A text from the configuration, with the name of its template. */
export interface AskText {
  name: string;
  text: string;
}

/** A timer's parts that are rendered from templates; empty if the effect has an error. */
export interface TimerTexts {
  key: string | null;
  dueAt: Timestamp | null;
  data: Readonly<Record<string, unknown>>;
}
