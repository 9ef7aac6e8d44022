import type { Value } from "../value";
import type { Failure } from "./failure";
import { bool, itemsOf } from "./operators";
import type { Expression, Run } from "./run";

export const MACROS = ["all", "exists", "exists_one", "filter", "map"] as const;
type Macro = (typeof MACROS)[number];

/** True if a method is a supported macro with a variable; `map` with a filter is not. */
export const isMacro = (name: string, argumentCount: number): name is Macro =>
  argumentCount === 2 && (MACROS as readonly string[]).includes(name);

/** Compiles a macro; `range` is a list, or a map whose keys are the items. */
export function macro(name: Macro, range: Expression, body: Expression): Expression {
  const evaluate = RUNNERS[name](body);
  return (run) => {
    const items = itemsOf(range(run));
    run.steps.spend(1 + items.length);
    return evaluate(items, run);
  };
}

type Runner = (body: Expression) => (items: readonly Value[], run: Run) => Value;

/** Evaluates `exists` or `all`. As in CEL, an item that decides the result does so even if others fail. */
const quantifier =
  (deciding: boolean): Runner =>
  (body) =>
  (items, run) => {
    let failure: Failure | undefined;
    for (const item of items) {
      const result = run.attempt(() => bool(run.with(item, body)));
      if (result === deciding) return deciding;
      if (typeof result !== "boolean") failure ??= result;
    }
    if (failure) throw failure;
    return !deciding;
  };

const RUNNERS: Readonly<Record<Macro, Runner>> = {
  exists: quantifier(true),
  all: quantifier(false),
  exists_one: (body) => (items, run) => items.filter((item) => bool(run.with(item, body))).length === 1,
  filter: (body) => (items, run) => items.filter((item) => bool(run.with(item, body))),
  map: (body) => (items, run) => items.map((item) => run.with(item, body)),
};
