import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from "prom-client";

/** The values of all metrics of a process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

/** Combines the metrics of several processes: they are summed unless they have another aggregator. */
export const aggregate = (processes: readonly MetricValues[]): Registry =>
  AggregatorRegistry.aggregate([...processes]);

/** Sums the counters and histograms of processes that have exited, because the totals must never decrease. */
export function sumOfEnded(processes: readonly MetricValues[]): MetricValues {
  const growing = processes.map((metrics) =>
    // prom-client declares the types as numbers, but they are names.
    metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type))),
  );
  // Casts the result, because each metric has values that its type does not declare.
  return aggregate(growing).getMetricsAsArray() as MetricValues;
}
