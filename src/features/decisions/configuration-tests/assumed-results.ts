import type { Timestamp } from "../../../common/time";
import type { Effect } from "../../configuration/document/effect";
import type { DecisionInput } from "../../configuration/document/read-situation";
import type { TestedSituation } from "../../configuration/document/tests-format";
import { resultOf } from "../effects/planned-result";
import type { EffectStatus, ExplanationError } from "../explanation";
import type { Plan } from "../plan";

export interface EffectOutcome {
  effect: Effect;
  kind: Effect["kind"];
  status: EffectStatus;
  error: ExplanationError | undefined;
}

export interface Assumed {
  effects: EffectOutcome[];
  /** The contact's tags after the effects, sorted. */
  tags: string[];
  /** The contact's waiting timers after the effects, by key; without details if set before the decision. */
  timers: ReadonlyMap<string, { situation?: string; dueAt?: Timestamp | null }>;
}

const NO_CONTACT: ExplanationError = { code: "not_found", message: "The situation is not about a contact." };
const NO_CONVERSATION: ExplanationError = { code: "not_found", message: "There is no conversation." };

/** Applies effects as if every message reached its contact, because a test has neither lines nor consents. */
export function assumedResults(
  { effects, gates }: Plan,
  input: DecisionInput,
  test: TestedSituation,
): Assumed {
  const { contact, conversation } = input;
  const tags = new Set(contact?.tags);
  const timers = new Map<string, { situation?: string; dueAt?: Timestamp | null }>(
    (test.timers ?? []).map((key) => [key, {}]),
  );
  const planned = effects.map((effect) => ({ effect, result: resultOf(effect, gates) }));
  const isOpened =
    contact !== null && planned.some(({ effect, result }) => effect.kind === "send" && result === undefined);
  const apply = (effect: Effect): { status: EffectStatus; error?: ExplanationError } => {
    switch (effect.kind) {
      case "send":
      case "ask":
        return { status: "done" };
      case "addTags":
      case "removeTags": {
        if (contact === null) return { status: "failed", error: NO_CONTACT };
        const isAdded = effect.kind === "addTags";
        const changed = effect.tags.filter((tag) => tags.has(tag) !== isAdded);
        for (const tag of changed) isAdded ? tags.add(tag) : tags.delete(tag);
        return { status: changed.length > 0 ? "done" : "unchanged" };
      }
      case "later":
        if (effect.key === null) return { status: "skipped" };
        timers.set(effect.key, { situation: effect.situation, dueAt: effect.dueAt });
        return { status: "done" };
      case "cancelTimer":
        return { status: effect.key !== null && timers.delete(effect.key) ? "done" : "unchanged" };
      default: {
        const hasConversation =
          conversation !== null || isOpened || (effect.kind === "handoff" && contact !== null);
        return hasConversation ? { status: "done" } : { status: "failed", error: NO_CONVERSATION };
      }
    }
  };
  return {
    effects: planned.map(({ effect, result }) => {
      const { status, error } = result ?? apply(effect);
      return { effect, kind: effect.kind, status, error };
    }),
    tags: [...tags].sort(),
    timers,
  };
}
