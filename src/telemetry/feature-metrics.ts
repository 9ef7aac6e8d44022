interface Named {
  name: `gateway_${string}`;
  help: string;
}

/** A counter that a feature increments through an observer; declare it once at module scope. */
export interface FeatureCounter extends Named {
  type: "counter";
  /** Possible values of each label, in order. */
  labels: Readonly<Record<string, readonly string[]>>;
  /** The combinations of label values that are exposed from the start; all of them by default. */
  series?: readonly (readonly string[])[] | undefined;
}

/** A histogram that a feature fills through an observer; declare it once at module scope. */
export interface FeatureHistogram extends Named {
  type: "histogram";
  /** Upper bounds of the buckets, ascending. */
  bounds: readonly number[];
}

/** A number that is read at each scrape. */
export interface FeatureReading extends Named {
  type: "reading";
  /** True if the number never decreases. */
  isCounter?: boolean;
  /** True if all workers read the same number, such as a count in the database. */
  isShared?: boolean;
  /** @returns the current number; undefined if there is none */
  read(): number | undefined | Promise<number | undefined>;
}

export type FeatureMetric = FeatureCounter | FeatureHistogram | FeatureReading;

export const counter = (
  name: FeatureCounter["name"],
  help: string,
  labels: FeatureCounter["labels"] = {},
  series?: FeatureCounter["series"],
): FeatureCounter => ({ type: "counter", name, help, labels, series });

/** Returns all combinations of label values. */
export const combinations = (labels: FeatureCounter["labels"]): string[][] =>
  Object.values(labels).reduce<string[][]>(
    (before, values) => before.flatMap((each) => values.map((value) => [...each, value])),
    [[]],
  );
