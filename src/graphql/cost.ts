type Variables = Readonly<Record<string, unknown>>;

/** A number, or one that depends on the variables of a request and is `most` at most. */
export type Cost = number | { most: number; with(variables: Variables): number };

/** The cost whatever the variables are. */
export const mostOf = (cost: Cost): number => (typeof cost === "number" ? cost : cost.most);

/** The cost with these variables. */
export const costWith = (cost: Cost, variables: Variables): number =>
  typeof cost === "number" ? cost : cost.with(variables);

/** Adds costs; what does not vary is added here and now. */
export function sum(costs: readonly Cost[]): Cost {
  let fixed = 0;
  let most = 0;
  const varying: Exclude<Cost, number>[] = [];
  for (const cost of costs) {
    most += mostOf(cost);
    if (typeof cost === "number") fixed += cost;
    else varying.push(cost);
  }
  if (varying.length === 0) return fixed;
  return { most, with: (variables) => varying.reduce((total, cost) => total + cost.with(variables), fixed) };
}

/** Multiplies costs. */
export function times(a: Cost, b: Cost): Cost {
  if (typeof a === "number" && typeof b === "number") return a * b;
  return {
    most: mostOf(a) * mostOf(b),
    with: (variables) => costWith(a, variables) * costWith(b, variables),
  };
}
