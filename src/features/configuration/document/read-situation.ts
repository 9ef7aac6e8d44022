import { instantOf } from "../../../common/instant";
import { type InputProblem, InvalidInput } from "../../../errors";
import { UNSUBSCRIBE_URL } from "../../messages/message.limits";
import { SITUATION_KEY_MAX_LENGTH, SITUATION_TYPE_MAX_LENGTH } from "../configuration.limits";
import type { CompiledConfiguration, SubmittedSituation } from "./compiled-configuration";
import { type DataDeclaration, type ReadData, readData } from "./data-types";
import type { EffectError } from "./effect";
import { declarationOf, isSituationType } from "./format";
import type { Formatted } from "./local-formats";
import type { ObjectValue } from "./value";

/** An earlier message in a conversation, as sent to a model. */
export interface EarlierMessage {
  author: string;
  text: string;
  /** The time when the message was accepted, as a timestamp. */
  at: string;
  /** True if the text was truncated. */
  isCut?: true;
}

/** The decision inputs that only the model sees, and the model's response. */
export interface ModelRecord {
  /** Earlier messages of the conversation, oldest first; undefined if the rule does not request them. */
  history?: readonly EarlierMessage[];
  /** The model's raw answer, truncated if it is too long; undefined if there is none. */
  answer?: string;
  /** The reason why there is no raw answer; undefined if there is one. */
  error?: EffectError;
}

/** Everything that a decision depends on. */
export interface DecisionInput {
  situation: SubmittedSituation;
  contact: {
    ref: string | null;
    name: string | null;
    locale: string | null;
    timezone: string | null;
    attributes: Readonly<Record<string, unknown>>;
    tags: readonly string[];
    /** The kinds of addresses where the contact accepts messages, sorted. */
    channels: readonly string[];
  } | null;
  conversation: { id: string; line: string; handler: string; state: string } | null;
  message: {
    text: string;
    /** The message's subject; null if it has none, and missing in decisions that predate subjects. */
    subject?: string | null;
    sequence: number;
  } | null;
  agent: { slug: string; name: string };
  /** The time of the decision, as a timestamp. */
  now: string;
  /** The ids of rules with `once` that have matched too recently. */
  spent: readonly string[];
  /** Number of automatic answers to the received message's sender within the last hour, up to the limit. */
  answers?: number;
  /** True if the contact has opted out of messages in the conversation. */
  isOptedOut?: true;
  /** True if the conversation's address is undeliverable. */
  isUndeliverable?: true;
  /** True if there is no conversation, and the contact is handed off to a human. */
  isHandedOff?: true;
  /** The failed message. Recorded even if no rule resends it, for replays with other rules. */
  failed?: {
    text: string;
    subject: string | null;
    html?: string;
    wasResent: boolean;
    /** The message's topic; undefined if it has none. */
    topic?: string;
    /** True if the policy did not apply to the message. */
    isUrgent?: true;
    /** True if the message required approval and was not approved in time. */
    isUnapproved?: true;
  };
  /** The model's inputs and answer; undefined if no rule called a model. */
  model?: ModelRecord;
  /** Texts formatted by Intl for the decision, for replays; undefined if there are none. */
  formatted?: Formatted;
}

/**
 * Reads a situation's data according to its declaration in the configuration.
 * @throws InvalidInput if the data does not match, with paths from `situation`
 */
export function readSituation(
  configuration: CompiledConfiguration,
  { type, data }: SubmittedSituation,
): ReadData {
  if (!isSituationType(type)) {
    throw new InvalidInput([
      {
        path: "situation.type",
        message: `must start with a letter and have at most ${SITUATION_TYPE_MAX_LENGTH} characters: a-z, 0-9 and single . _ - between them`,
      },
    ]);
  }
  const declared = configuration.dataOf(type);
  if (declared === undefined && configuration.document.strict) {
    const nearest = configuration.nearestType(type);
    const such = nearest === null ? "" : `, such as ${nearest}`;
    throw new InvalidInput([{ path: "situation.type", message: `must be a declared situation${such}` }]);
  }
  const read = readKeyedData(configuration, { type, data }, declared);
  if (!Array.isArray(read)) return read;
  const problems: InputProblem[] = read.map(({ path, message }) => ({
    path: ["situation.data", path].filter(Boolean).join("."),
    message,
  }));
  throw new InvalidInput(problems);
}

/** Like `readData`, and also returns a problem if the situation's key is too long. */
export function readKeyedData(
  configuration: CompiledConfiguration,
  situation: SubmittedSituation,
  declaration: DataDeclaration | undefined,
): ReadData | InputProblem[] {
  const read = readData(declaration, situation.data);
  if (Array.isArray(read) || configuration.keyOf(situation) !== undefined) return read;
  const path = declarationOf(configuration.document, situation.type)?.key ?? "";
  return [
    { path, message: `must have at most ${SITUATION_KEY_MAX_LENGTH} characters, because it is the key` },
  ];
}

export const rootsForConditions = (input: Omit<DecisionInput, "spent">, data: ObjectValue): ObjectValue => ({
  ...rootsForTemplates(input, data),
  message: input.message && {
    text: input.message.text,
    // Empty rather than null, so that conditions do not need a null check.
    subject: input.message.subject ?? "",
    sequence: BigInt(input.message.sequence),
  },
  now: instantOf(input.now) ?? null,
});

export const rootsForTemplates = (input: Omit<DecisionInput, "spent">, data: ObjectValue): ObjectValue => ({
  situation: { type: input.situation.type, data },
  contact: input.contact as ObjectValue | null,
  conversation: input.conversation,
  message: input.message,
  agent: input.agent,
  now: input.now,
  unsubscribeUrl: UNSUBSCRIBE_URL,
});
