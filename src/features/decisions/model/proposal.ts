import type { Effect } from "../../configuration/document/effect";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../messages/message.limits";

/** An `ask` effect: a rule's request to a model. */
export type Ask = Extract<Effect, { kind: "ask" }>;

/** A model's valid answer, within the limits of the request. */
export interface Proposal {
  /** The text to send; null to send nothing. */
  text: string | null;
  tags: readonly string[];
  handoff: boolean;
}

/** Returns the max length of a text that a model may propose (code points). */
export const maxLengthOf = ({ maxLength }: Ask): number => maxLength ?? MESSAGE_TEXT_MAX_LENGTH;

/** Returns the JSON Schema of a model's answer, without limits that some servers do not support. */
export const schemaOf = ({ tags, handoff }: Ask): Record<string, unknown> => {
  const properties = {
    text: { type: ["string", "null"] },
    ...(tags.length > 0 && { tags: { type: "array", items: { type: "string", enum: tags } } }),
    ...(handoff && { handoff: { type: "boolean" } }),
  };
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
};

/** Parses a model's answer; undefined if it is not a valid choice. */
export function readProposal(ask: Ask, answer: string): Proposal | undefined {
  const value = objectOf(answer);
  if (value === undefined) return undefined;
  const { text, tags = [], handoff = false, ...others } = value;
  const isProposal =
    Object.keys(others).length === 0 &&
    (text === null || isText(text, maxLengthOf(ask))) &&
    Array.isArray(tags) &&
    tags.every((tag) => ask.tags.includes(tag)) &&
    (handoff === false || (handoff === true && ask.handoff));
  return isProposal ? { text, tags: [...new Set<string>(tags)], handoff } : undefined;
}

const isText = (text: unknown, maxLength: number): text is string =>
  typeof text === "string" &&
  text.trim() !== "" &&
  !text.includes("\0") &&
  text.isWellFormed() &&
  [...text].length <= maxLength;

/** Matches the code block that some models wrap around their answers. */
const FENCED = /^\s*```(?:json)?\r?\n(.*)\r?\n```\s*$/is;

/** Matches the reasoning that some models write before their answers, unless the server separates it. */
const REASONING = /^\s*<think>.*?<\/think>/is;

function objectOf(answer: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json = answer.replace(REASONING, "");
    const value: unknown = JSON.parse(FENCED.exec(json)?.[1] ?? json);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
