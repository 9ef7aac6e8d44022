import { Counter, Gauge, type Metric, type Registry } from "prom-client";
import type { Count, Distribution, Series } from "./series";

/** Name and meaning of a metric. */
export type Naming = readonly [name: string, help: string];

/** Shows counts that are kept outside the library, whose own are too slow for the path of every request. */
export function showCounts(registry: Registry, [name, help]: Naming, series: Series<Count>): void {
  new Counter({
    name,
    help,
    labelNames: [...series.names],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, { value }] of series.entries()) this.inc(labels, value);
    },
  });
}

/** Shows numbers as they are at the moment when somebody asks. */
export function showGauge(
  registry: Registry,
  [name, help]: Naming,
  labelNames: readonly string[],
  read: () => readonly (readonly [labels: Record<string, string>, value: number])[],
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });
}

/** As `showCounts`, for distributions. */
export function showDistributions(
  registry: Registry,
  [name, help]: Naming,
  series: Series<Distribution>,
): void {
  const metric = {
    name,
    get: async () => ({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: [...series.entries()].flatMap(([labels, distribution]) => linesOf(name, labels, distribution)),
    }),
  };
  // The library reads no more of a metric than this, but has no type for it.
  registry.registerMetric(metric as unknown as Metric);
}

function linesOf(name: string, labels: Record<string, string>, { bounds, counts, sum }: Distribution) {
  let count = 0;
  const buckets = counts.map((own, i) => {
    count += own;
    return { metricName: `${name}_bucket`, labels: { le: bounds[i] ?? "+Inf", ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
