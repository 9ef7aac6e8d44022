import { Counter, Gauge, type Metric, type Registry } from "prom-client";
import type { FeatureReading } from "./feature-metrics";
import type { Count, Distribution, LabeledMetric } from "./labeled-metric";

/** Name and help text of a metric. */
export type Naming = readonly [name: string, help: string];

/** Registers counts kept outside prom-client, whose counters are too slow for the hot path. */
export function registerCounts(
  registry: Registry,
  [name, help]: Naming,
  labeled: LabeledMetric<Count>,
): void {
  new Counter({
    name,
    help,
    labelNames: [...labeled.names],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, { value }] of labeled.entries()) this.inc(labels, value);
    },
  });
}

/** The values of a metric with their labels. */
type Samples = readonly (readonly [labels: Record<string, string>, value: number])[];

/**
 * Registers a gauge whose values are read at each scrape.
 * @param aggregator how the values of several workers become one: `first` for what all of them read alike
 */
export function registerGauge(
  registry: Registry,
  [name, help]: Naming,
  labelNames: readonly string[],
  read: () => Samples | Promise<Samples>,
  aggregator: "sum" | "first" = "sum",
): void {
  new Gauge({
    name,
    help,
    aggregator,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      const samples = await read();
      this.reset();
      // A reset sets a gauge without labels to 0, which is no measurement.
      if (labelNames.length === 0) this.remove();
      for (const [labels, value] of samples) this.set(labels, value);
    },
  });
}

/** Registers a number that is read at each scrape. */
export function registerReading(
  registry: Registry,
  { name, help, isCounter, isShared, read }: FeatureReading,
): void {
  if (!isCounter) {
    const samples = async (): Promise<Samples> => {
      const value = await read();
      return value === undefined ? [] : [[{}, value]];
    };
    registerGauge(registry, [name, help], [], samples, isShared ? "first" : "sum");
    return;
  }
  new Counter({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      this.reset();
      if (value !== undefined) this.inc(value);
    },
  });
}

/** Registers distributions as histograms, also kept outside prom-client. */
export function registerDistributions(
  registry: Registry,
  [name, help]: Naming,
  labeled: LabeledMetric<Distribution>,
): void {
  const metric = {
    name,
    get: async () => ({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: [...labeled.entries()].flatMap(([labels, distribution]) => linesOf(name, labels, distribution)),
    }),
  };
  // prom-client reads only these members of a metric, but has no type for them.
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
