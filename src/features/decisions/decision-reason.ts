import { Field, ObjectType } from "type-graphql";
import { Nullable } from "../../common/nullable";
import { MaxCharacters } from "../../schema/list-size";
import { CLAUSE_MAX_LENGTH, NAME_MAX_LENGTH } from "../configuration/configuration.limits";
import type { Decision, Situation } from "./decision.entity";
import { ERROR_MESSAGE_MAX_LENGTH, GateName, type RuleExplanation } from "./explanation";
import { messageIdsOf } from "./snapshot";

/** Max length of a preview of situation data (code points). */
export const DATA_PREVIEW_MAX_LENGTH = 120;

@ObjectType({
  description: "The main reason for a decision: an error, a gate, or a condition.",
})
export class DecisionReason {
  @Nullable(() => String, "Error message of a failed decision, or null if the decision did not fail.")
  @MaxCharacters(ERROR_MESSAGE_MAX_LENGTH)
  error!: string | null;

  @Nullable(() => GateName, "The gate that held back the effects, or null if none did.")
  gate!: GateName | null;

  @Nullable(
    () => String,
    "ID of the rule that the condition belongs to: the rule that decided or, if none did, the rule that came closest to matching.",
  )
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string | null;

  @Nullable(
    () => String,
    "The condition, in CEL: the last condition of the rule that decided, or the condition that was not met. Null if the rule has no conditions.",
  )
  @MaxCharacters(CLAUSE_MAX_LENGTH)
  condition!: string | null;

  @Field(() => Boolean, { description: "True if the condition was met." })
  isMet!: boolean;
}

/** Returns the main reason for a decision; null if it is not known. */
export function reasonOf({ explanation }: Pick<Decision, "explanation">): DecisionReason | null {
  if (explanation === null) return null;
  const { error, gates, rules } = explanation.value;
  const reason = { error: error?.message ?? null, gate: null, ruleId: null, condition: null, isMet: false };
  if (error != null) return reason;
  const gate = gates.find(({ name, passed }) => !passed && name !== GateName.declared)?.name;
  if (gate !== undefined) return { ...reason, gate };
  const rule = rules.find(({ matched }) => matched) ?? closest(rules);
  if (rule === undefined) return null;
  const clause = rule.clauses.at(-1);
  const isMet = rule.matched || rule.spent === true;
  return { ...reason, ruleId: rule.ruleId, condition: clause?.source ?? null, isMet };
}

/** Returns the rule with the most met conditions or, in a tie, the first such rule. */
const closest = (rules: readonly RuleExplanation[]): RuleExplanation | undefined =>
  rules.reduce<RuleExplanation | undefined>(
    (best, rule) => (best === undefined || rule.clauses.length > best.clauses.length ? rule : best),
    undefined,
  );

/**
 * Returns the first members of a situation's data on one line, such as `orderId B2, total 90`; instead of the IDs of
 * received messages, which mean nothing to people, their number.
 */
export function previewOf(situation: Situation): string {
  const received = messageIdsOf(situation).length;
  const parts = Object.entries(situation.data).map(([name, value]) =>
    name === "messageIds" && received > 0
      ? `${received} ${received === 1 ? "message" : "messages"}`
      : `${name} ${shown(value)}`,
  );
  const characters = [...parts.join(", ").replace(/\s+/g, " ").trim()];
  return characters.length <= DATA_PREVIEW_MAX_LENGTH
    ? characters.join("")
    : `${characters.slice(0, DATA_PREVIEW_MAX_LENGTH - 1).join("")}…`;
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
