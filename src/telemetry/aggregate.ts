import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from "prom-client";

/** The values of all metrics of a process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

const aggregate = (processes: readonly MetricValues[]) => AggregatorRegistry.aggregate([...processes]);

/** The metrics of several processes in the Prometheus text format: summed, unless a metric has another aggregator. */
export const textOf = (processes: readonly MetricValues[]): Promise<string> => aggregate(processes).metrics();

/** Sums the metrics of ended processes that must never decrease. */
export function sumOfEnded(processes: readonly MetricValues[]): MetricValues {
  const growing = processes.map((metrics) =>
    // prom-client declares the types as an enum of numbers, but they are names.
    metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type))),
  );
  // Each metric has values, which its type does not declare.
  return aggregate(growing).getMetricsAsArray() as MetricValues;
}
