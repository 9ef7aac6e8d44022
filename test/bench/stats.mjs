/** The middle of some numbers, or of the two in the middle their mean; undefined when any is. */
export function median(numbers) {
  if (numbers.length === 0 || numbers.includes(undefined)) return undefined;
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The order of the turns: the one that all are measured against before, between and after the others. */
export function turns(reference, others, rounds) {
  const order = Array.from({ length: rounds }, () => others.flatMap((other) => [reference, other])).flat();
  return others.length === 0 ? Array(rounds).fill(reference) : [...order, reference];
}

/**
 * Each number of a turn, divided by that of the reference's turns right before and after it.
 * @param results `{ name, values }` in the order of `turns`
 * @returns by name, then by number: the ratios, one for each turn
 */
export function pairedRatios(reference, results) {
  const ratios = {};
  results.forEach(({ name, values }, i) => {
    if (name === reference) return;
    const neighbours = [results[i - 1], results[i + 1]]
      .filter((turn) => turn?.name === reference)
      .map((turn) => turn.values);
    ratios[name] ??= {};
    for (const [measure, value] of Object.entries(values)) {
      const theirs = neighbours.map((each) => each[measure]);
      const known = value !== undefined && theirs.length > 0 && !theirs.includes(undefined);
      ratios[name][measure] ??= [];
      ratios[name][measure].push(known ? value / mean(theirs) : undefined);
    }
  });
  return ratios;
}

/** What the turns come to: by name the medians, those of the ratios to the reference, and every turn. */
export function summarize(reference, results) {
  const ratios = pairedRatios(reference, results);
  return Object.fromEntries(
    [...new Set(results.map(({ name }) => name))].map((name) => {
      const rounds = results.filter((turn) => turn.name === name).map(({ values }) => values);
      const byMeasure = Object.fromEntries(
        Object.keys(rounds[0]).map((measure) => [measure, rounds.map((values) => values[measure])]),
      );
      const ratio = name === reference ? undefined : medians(ratios[name]);
      return [name, { median: medians(byMeasure), ...(ratio && { ratio }), rounds }];
    }),
  );
}

const medians = (byMeasure) =>
  Object.fromEntries(
    Object.entries(byMeasure)
      .map(([measure, values]) => [measure, median(values)])
      .filter(([, value]) => value !== undefined),
  );
