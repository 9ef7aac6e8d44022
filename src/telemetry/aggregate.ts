import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from "prom-client";

/** The values of all metrics of a process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

const aggregate = (processes: readonly MetricValues[]) => AggregatorRegistry.aggregate([...processes]);

/**
 * Returns the metrics of several processes in the Prometheus text format, summed unless they have another aggregator.
 */
export const textOf = (processes: readonly MetricValues[]): Promise<string> => aggregate(processes).metrics();

/** Sums the counters and histograms of ended processes, because they must never decrease. */
export function sumOfEnded(processes: readonly MetricValues[]): MetricValues {
  const growing = processes.map((metrics) =>
    // prom-client declares the types as numbers, but they are names.
    metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type))),
  );
  // Each metric also has values, which its type does not declare.
  return aggregate(growing).getMetricsAsArray() as MetricValues;
}
