import type { ConfigurationDocument } from "../../configuration/document/format";
import type { ConfigurationClauseCoverage, ConfigurationRuleCoverage } from "./configuration-tests.outputs";
import type { TestRun } from "./run-test";

export interface RuleCoverage extends ConfigurationRuleCoverage {
  clauses: ClauseCoverage[];
}

interface ClauseCoverage extends ConfigurationClauseCoverage {
  source: string;
}

/** Counts how often tests reach a document's rules and conditions. */
export class CoverageCounter {
  private readonly all: Map<string | null, RuleCoverage>;

  constructor({ rules = [], otherwise = [] }: ConfigurationDocument) {
    this.all = new Map<string | null, RuleCoverage>(
      rules.map(({ id, when = [] }) => [
        id,
        { ruleId: id, matched: 0, clauses: when.map((source) => ({ source, met: 0, notMet: 0 })) },
      ]),
    );
    if (otherwise.length > 0) this.all.set(null, { ruleId: null, matched: 0, clauses: [] });
  }

  /** The coverage by the tests counted so far, in document order. */
  get coverage(): RuleCoverage[] {
    return [...this.all.values()];
  }

  count({ ruleId, outcome, rules }: TestRun): void {
    const fallback = this.all.get(null);
    if (outcome !== null && ruleId === null && fallback !== undefined) fallback.matched += 1;
    for (const { ruleId: id, matched, clauses } of rules) {
      const rule = this.all.get(id);
      if (rule === undefined) continue;
      if (matched) rule.matched += 1;
      for (const [at, clause] of rule.clauses.entries()) {
        const value = clauses[at]?.value;
        if (value === true) clause.met += 1;
        else if (value !== undefined) clause.notMet += 1;
      }
    }
  }
}

/** Returns the gaps in the coverage, as sentences. */
export const gapsOf = (coverage: readonly RuleCoverage[]): string[] =>
  coverage.flatMap(({ ruleId, matched, clauses }) => {
    const name = ruleId === null ? "otherwise" : `rule ${ruleId}`;
    const clausesOf = (wanted: (clause: ClauseCoverage) => boolean, what: string) =>
      clauses.flatMap((clause, at) =>
        wanted(clause) ? [`clause ${at + 1} of ${name} is never ${what}`] : [],
      );
    return [
      ...(matched === 0 ? [`${name} never ${ruleId === null ? "applies" : "matches"}`] : []),
      ...clausesOf(({ met }) => met === 0, "true"),
      ...clausesOf(({ notMet }) => notMet === 0, "false"),
    ];
  });
