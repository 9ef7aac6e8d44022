/** Returns the median of numbers; undefined if one of them is undefined. */
export function median(numbers) {
  if (numbers.length === 0 || numbers.includes(undefined)) return undefined;
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** Returns the order of the turns, with the reference before, between and after the others. */
export function turns(reference, others, rounds) {
  const order = Array.from({ length: rounds }, () => others.flatMap((other) => [reference, other])).flat();
  return others.length === 0 ? Array(rounds).fill(reference) : [...order, reference];
}

/**
 * Divides each number of a turn by the mean of the reference's turns right before and after it.
 * @param results `{ name, values }` in the order of `turns`
 * @returns the ratios by name and measure, one per turn
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

/**
 * Summarizes the turns by name: the `median` of each measure, and all turns as `rounds`. All except the reference also
 * have the median `ratio` of each measure to the reference, and its `spread`: the lowest and the highest ratio.
 */
export function summarize(reference, results) {
  const ratios = pairedRatios(reference, results);
  return Object.fromEntries(
    [...new Set(results.map(({ name }) => name))].map((name) => {
      const rounds = results.filter((turn) => turn.name === name).map(({ values }) => values);
      const own = { median: each(byMeasure(rounds), median), rounds };
      if (name === reference) return [name, own];
      const theirs = ratios[name];
      return [name, { ...own, ratio: each(theirs, median), spread: each(theirs, lowestAndHighest) }];
    }),
  );
}

/**
 * Combines several runs. Each measure has the numbers of the run with the median ratio or, for the reference, of the
 * run with the median number.
 * @param runs an odd number of results of `summarize`
 * @returns the results, as in `summarize`, and the compared values of all `runs` by measure
 */
export function middleRun(runs) {
  if (runs.length === 1) return runs[0];
  return Object.fromEntries(
    Object.keys(runs[0]).map((name) => {
      const own = runs.map((results) => results[name]);
      const ordered = (run) => run.ratio ?? run.median;
      const values = byMeasure(own.map(ordered));
      const middle = each(values, (all) => own[all.indexOf(median(all))]);
      const pick = (part) => each(middle, (run, measure) => run[part][measure]);
      return [
        name,
        {
          median: pick("median"),
          rounds: own.flatMap(({ rounds }) => rounds),
          ...(own[0].ratio && { ratio: pick("ratio"), spread: pick("spread") }),
          runs: values,
        },
      ];
    }),
  );
}

/** Returns the numbers of turns by measure, for the measures of the first turn. */
const byMeasure = (turns) =>
  Object.fromEntries(Object.keys(turns[0]).map((measure) => [measure, turns.map((turn) => turn[measure])]));

/** A single turn has no spread. */
const lowestAndHighest = (numbers) =>
  numbers.length < 2 || numbers.includes(undefined)
    ? undefined
    : [Math.min(...numbers), Math.max(...numbers)];

/** Reduces the numbers of each measure, and omits measures without a result. */
const each = (measures, reduce) =>
  Object.fromEntries(
    Object.entries(measures)
      .map(([measure, numbers]) => [measure, reduce(numbers, measure)])
      .filter(([, value]) => value !== undefined),
  );
