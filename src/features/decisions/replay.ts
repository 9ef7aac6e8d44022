// The types are next to the functions that fill them, because together they define one comparison.

import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { getOrCreate } from "../../common/get-or-create";
import { groupBy } from "../../common/group-by";
import { Nullable, Optional } from "../../common/nullable";
import { InvalidInput } from "../../errors";
import { GraphQLJsonObject, IsJsonObject } from "../../schema/json-object";
import { AtMost, AtMostInAll, MaxCharacters } from "../../schema/list-size";
import { OneOf } from "../../schema/one-of";
import {
  MAX_RULES,
  NAME_MAX_LENGTH,
  SITUATION_TYPE_MAX_LENGTH,
  TESTED_DOCUMENT_MAX_BYTES,
} from "../configuration/configuration.limits";
import { canonicalJson } from "../configuration/document/canonical-json";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import type { Effect } from "../configuration/document/effect";
import type { Decision } from "./decision.entity";
import { explain } from "./effects/explain-effect";
import { resultOf } from "./effects/planned-result";
import {
  type EffectExplanation,
  EXPLANATION_MAX,
  Explanation,
  ExplanationError,
  type GateExplanation,
} from "./explanation";
import { askIn, recordedAnswer, withAnswer } from "./model/asking";
import { plan } from "./plan";

/** Max decisions per replay. */
export const MAX_REPLAYED = 500;

export interface Against {
  /** The configuration's version number; null for a draft, or for a document given in the request. */
  version: number | null;
  configuration: CompiledConfiguration;
}

export const ReplayStatus = enumOf(
  "ReplayStatus",
  "Result of comparing a replayed decision with the recorded one.",
  {
    same: "The same rule would decide, with the same effects.",
    changed: "Another rule would decide, or the effects would differ.",
    invalid: "The configuration rejects the situation.",
    erased: "The contact was erased, so the decision cannot be replayed.",
  },
);
export type ReplayStatus = keyof typeof ReplayStatus;

@InputType({ description: "Identifies a configuration by exactly one of these fields." })
@OneOf()
export class ReplayAgainst {
  @Optional(() => Int, "Number of a published version.")
  version?: number | null | undefined;

  @Optional(() => Boolean, "Pass `true` for the draft. Agent keys cannot read drafts.")
  draft?: boolean | null | undefined;

  @Optional(() => GraphQLJsonObject, "A document. API keys need `contacts:read` and `conversations:read`.")
  @IsJsonObject(TESTED_DOCUMENT_MAX_BYTES)
  document?: Record<string, unknown> | null | undefined;
}

@ObjectType({
  description: "A recorded decision, compared with the decision that another configuration would make.",
})
export class ComparedDecision {
  @Field(() => ID, { description: "ID of the recorded decision." })
  decisionId!: string;

  @Field(() => String, { description: "Type of the situation." })
  @MaxCharacters(SITUATION_TYPE_MAX_LENGTH)
  situationType!: string;

  @Field(() => ReplayStatus, { description: "Result of comparing the decisions." })
  status!: ReplayStatus;

  @Nullable(() => String, "ID of the rule that decided, or null for `otherwise`.")
  @MaxCharacters(NAME_MAX_LENGTH)
  recordedRuleId!: string | null;

  @Nullable(
    () => String,
    "ID of the rule that would decide with the other configuration. Null for `otherwise`, or if no rule could be evaluated.",
  )
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string | null;

  @Nullable(() => ExplanationError, "The error if the configuration rejects the situation, otherwise null.")
  error!: ExplanationError | null;
}

@ObjectType({
  description: "A past decision, replayed with another configuration.",
})
export class Replay extends ComparedDecision {
  @AtMostInAll(EXPLANATION_MAX)
  @Nullable(
    () => Explanation,
    "Explanation of the replayed decision, or null if it could not be made. Unchanged effects keep their recorded results. Other effects are not applied, so their status is `skipped`, or `failed` if they have an error.",
  )
  explanation!: Explanation | null;
}

@ObjectType({
  description: "Number of decisions by a rule, as recorded and with the other configuration.",
})
export class RuleTotal {
  @Nullable(() => String, "ID of the rule, or null for `otherwise`.")
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string | null;

  @Field(() => Int, { description: "Number of decisions that the rule made." })
  recorded!: number;

  @Field(() => Int, {
    description: "Number of decisions that the rule would make with the other configuration.",
  })
  replayed!: number;
}

@ObjectType({ description: "Past decisions, replayed with another configuration." })
export class Replays {
  @Field(() => Int, { description: "Number of decisions that were replayed." })
  total!: number;

  @Field(() => Int, { description: "Number of decisions that would not change." })
  same!: number;

  @Field(() => Int, { description: "Number of decisions that would change." })
  changed!: number;

  @Field(() => Int, { description: "Number of situations that the configuration rejects." })
  invalid!: number;

  @Field(() => Int, {
    description: "Number of decisions that could not be replayed because their contacts were erased.",
  })
  erased!: number;

  @Field(() => [RuleTotal], {
    description:
      "Totals per rule, in alphabetical order. Decisions in situations that would be rejected are included only in `recorded`. Decisions about erased contacts are not included.",
  })
  @AtMost(MAX_RULES)
  rules!: RuleTotal[];

  @Field(() => [ComparedDecision], {
    description:
      "Decisions that would change or whose situations would be rejected, newest first. Use `replayDecision` for an explanation.",
  })
  @AtMost(MAX_REPLAYED)
  decisions!: ComparedDecision[];
}

/** Replays a recorded decision with another configuration, without applying effects. */
export function replay(decision: Decision, { version, configuration }: Against): Replay {
  const { id: decisionId, situation, snapshot, ruleId: recordedRuleId } = decision;
  const base = { decisionId, situationType: situation.type, recordedRuleId };
  const without = { ...base, ruleId: null, error: null, explanation: null };
  const recorded = decision.explanation?.value;
  if (snapshot === null) {
    if (recorded === undefined) return { ...without, status: ReplayStatus.erased };
    // The decision became stale before any rule was tried, so the configuration is irrelevant.
    return { ...without, status: ReplayStatus.same, explanation: { ...recorded, version } };
  }
  try {
    const input = { situation, ...snapshot };
    const planned = plan(configuration, input);
    const { ruleId, gates, rules, effects } = planned;
    // If the decision was stale, the model's answer was discarded, so the replay discards it as well.
    const answer = decision.outcome === "stale" ? undefined : recordedAnswer(askIn(effects), snapshot.model);
    const answered = answer ? withAnswer(configuration, input, planned, answer).effects : effects;
    const chosen = answered.slice(effects.length);
    const hasSameEffects = canonicalJson([...effects, ...chosen]) === canonicalJson(decision.effects);
    const isSame = ruleId === recordedRuleId && hasSameEffects;
    const results = recorded?.effects ?? [];
    const model = isSame || answer !== undefined ? recorded?.model : undefined;
    return {
      ...base,
      status: isSame ? ReplayStatus.same : ReplayStatus.changed,
      ruleId,
      error: null,
      explanation: {
        version,
        now: snapshot.now,
        gates,
        rules,
        effects: hasSameEffects
          ? [...results]
          : explained(answered, gates, { effects: decision.effects, results }),
        ...(model && { model }),
      },
    };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return {
      ...without,
      status: ReplayStatus.invalid,
      error: { code: error.code, message: error.message },
    };
  }
}

/** Returns the recorded results of effects; new effects were not applied. */
function explained(
  effects: readonly Effect[],
  gates: readonly GateExplanation[],
  recorded: { effects: readonly Effect[]; results: readonly EffectExplanation[] },
): EffectExplanation[] {
  const pairs = recorded.effects.map((effect, i) => [canonicalJson(effect), recorded.results[i]] as const);
  const left = groupBy(pairs, ([text]) => text);
  return effects.map((effect) => {
    const [, result] = left.get(canonicalJson(effect))?.shift() ?? [];
    return result ?? explain(effect, resultOf(effect, gates));
  });
}

export function summarize(replays: readonly ComparedDecision[]): Replays {
  const count = (wanted: ReplayStatus) => replays.filter(({ status }) => status === wanted).length;
  const [same, changed] = [count(ReplayStatus.same), count(ReplayStatus.changed)];
  const totals = new Map<string | null, RuleTotal>();
  const totalOf = (ruleId: string | null) =>
    getOrCreate(totals, ruleId, () => ({ ruleId, recorded: 0, replayed: 0 }));
  for (const { status, ruleId, recordedRuleId } of replays) {
    if (status === ReplayStatus.erased) continue;
    totalOf(recordedRuleId).recorded += 1;
    if (status !== ReplayStatus.invalid) totalOf(ruleId).replayed += 1;
  }
  return {
    total: replays.length,
    same,
    changed,
    invalid: count(ReplayStatus.invalid),
    erased: count(ReplayStatus.erased),
    rules: [...totals.values()].sort((a, b) => ((a.ruleId ?? "") < (b.ruleId ?? "") ? -1 : 1)),
    decisions: replays.filter(
      ({ status }) => status === ReplayStatus.changed || status === ReplayStatus.invalid,
    ),
  };
}
