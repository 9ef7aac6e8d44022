import type { CompiledConfiguration } from "../../configuration/document/compiled-configuration";
import type { Effect, EffectError } from "../../configuration/document/effect";
import { withinLimits } from "../../configuration/document/effect-writer";
import type { DecisionInput, ModelRecord } from "../../configuration/document/read-situation";
import type { ModelRequest } from "../explanation";
import { type Plan, withOtherwise } from "../plan";
import { type Ask, type Proposal, readProposal } from "./proposal";

/** The result of a model call, with the request (if one was sent) and the model's raw answer. */
export type Answer = ({ proposal: Proposal } | { error: EffectError }) & {
  request?: ModelRequest;
  text?: string;
};

/** Max length of a model's answer (UTF-16 code units); longer answers are invalid. */
export const ANSWER_MAX_LENGTH = 65_536;

const INVALID: Answer = {
  error: { code: "model_invalid", message: "The model's answer was not a valid choice." },
};

/** Parses a model's new or recorded answer. */
export function answerOf(ask: Ask, text: string): Answer {
  const proposal = text.length > ANSWER_MAX_LENGTH ? undefined : readProposal(ask, text);
  const recorded = text === "" ? {} : { text: text.slice(0, ANSWER_MAX_LENGTH) };
  return { ...(proposal === undefined ? INVALID : { proposal }), ...recorded };
}

/** Returns the recorded result of a model call; undefined if no model was called. */
export function recordedAnswer(
  ask: Ask | undefined,
  { answer, error }: ModelRecord = {},
): Answer | undefined {
  if (ask === undefined) return undefined;
  return answer === undefined ? error && { error } : answerOf(ask, answer);
}

/** The answer if no model is configured. */
export const NO_MODEL: Answer = { error: { code: "no_model", message: "No model is configured." } };

/** The result of an `ask` effect in a dry run. */
export const NOT_ASKED = {
  status: "skipped",
  error: { code: "dry_run", message: "A dry run makes no request to the model." },
} as const;

/** Returns the `ask` effect among a decision's effects; undefined if there is none. */
export const askIn = (effects: readonly Effect[]): Ask | undefined =>
  effects.find((effect): effect is Ask => effect.kind === "ask" && effect.error === null);

/**
 * Returns a plan with the effects chosen by the model or, if the model failed, by `otherwise`.
 * @throws InvalidInput like `evaluate`
 */
export function withAnswer<Rules>(
  configuration: CompiledConfiguration,
  input: DecisionInput,
  planned: Plan<Rules>,
  answer: Answer,
): Plan<Rules> {
  const ask = askIn(planned.effects);
  if (ask === undefined) return planned;
  if ("proposal" in answer) {
    return { ...planned, effects: withinLimits([...planned.effects, ...chosen(ask, answer.proposal)]) };
  }
  const effects = planned.effects.map((effect) =>
    effect === ask ? { ...ask, error: answer.error } : effect,
  );
  return withOtherwise(configuration, input, { ...planned, effects });
}

function chosen({ ruleId, topic, review }: Ask, { text, tags, handoff }: Proposal): Effect[] {
  const done = { ruleId, error: null };
  const about = { ...(topic !== undefined && { topic }), ...(review !== undefined && { review }) };
  return [
    ...(tags.length > 0 ? [{ ...done, kind: "addTags" as const, tags }] : []),
    ...(text === null
      ? []
      : [{ ...done, kind: "send" as const, template: null, text, line: null, delaySeconds: 0, ...about }]),
    ...(handoff ? [{ ...done, kind: "handoff" as const, reason: "The model requested the handoff." }] : []),
  ];
}
