import type { ValueTransformer } from "typeorm";
import { STORED_JSON, StoredJson } from "../../database/stored-json";
import type { CompiledRule } from "../configuration/document/compiled-configuration";
import type { Explanation, ReadValue, RuleExplanation } from "./explanation";

/** An explanation with rules that are already serialized. */
export type Explained = Omit<Explanation, "rules"> & { rules: string };

/** Serializes an explanation as `@WrittenAsStored` requires. */
export function explanationJson(explanation: Explained): StoredJson<Explanation> {
  const { version, now, model, error, gates, rules, effects } = explanation;
  const start = JSON.stringify(withoutNulls({ version, now, model, error, gates })).slice(0, -1);
  return new StoredJson(`${start},"rules":${rules},"effects":${JSON.stringify(withoutNulls(effects))}}`);
}

/** Omits members that are null, except in situation data. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value))
    if (member !== null) members[name] = name === "data" ? member : withoutNulls(member);
  return members;
}

/**
 * Serializes rules for `explanationJson`, so that hundreds of objects can be freed before the commit.
 * @param tried the rules, in the same order
 */
export function rulesJson(results: readonly RuleExplanation[], tried: readonly CompiledRule[]): string {
  const reads = new Map<ReadValue, string>();
  const readJson = (read: ReadValue) => {
    const json = reads.get(read) ?? JSON.stringify({ ...read, value: read.value ?? undefined });
    reads.set(read, json);
    return json;
  };
  const ruleJson = ({ ruleId, matched, spent, clauses }: RuleExplanation, i: number) => {
    const clausesJson = clauses.map(({ source, value, error, read }, at) => {
      const sourceJson = tried[i]?.conditions[at]?.json ?? JSON.stringify(source);
      const result = error === null ? `"value":${value}` : `"error":${JSON.stringify(error)}`;
      return `{"source":${sourceJson},${result},"read":[${read.map(readJson)}]}`;
    });
    return `{"ruleId":"${ruleId}","matched":${matched}${spent ? ',"spent":true' : ""},"clauses":[${clausesJson}]}`;
  };
  return `[${results.map(ruleJson)}]`;
}

/** Like `STORED_JSON`, but also reads explanations of earlier builds, whose rules and timers have an `id`. */
export const STORED_EXPLANATION: ValueTransformer = {
  to: STORED_JSON.to,
  from: (text: string | null) =>
    STORED_JSON.from(
      text !== null && /"(rules":\[|timer":)\{"id":/.test(text) ? withCurrentNames(text) : text,
    ),
};

function withCurrentNames(text: string): string {
  const { rules, effects, ...start } = JSON.parse(text);
  const named = (name: string, { id, ...members }: Record<string, unknown>) => ({ [name]: id, ...members });
  return JSON.stringify({
    ...start,
    rules: rules.map((rule: Record<string, unknown>) => named("ruleId", rule)),
    effects: effects.map(({ timer, ...effect }: { timer?: Record<string, unknown> }) => ({
      ...effect,
      ...(timer !== undefined && { timer: named("timerId", timer) }),
    })),
  });
}
