import { Counter, Gauge, type Registry } from "prom-client";
import type { FeatureReading } from "./feature-metrics";

/** Name and help text of a metric. */
export type Naming = readonly [name: string, help: string];

type Samples = readonly (readonly [labels: Record<string, string>, value: number])[];

/** Registers a gauge that is read at each scrape. Use `first` if all workers read the same value; else they add up. */
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
      // A reset would set a gauge without labels to 0, which looks like a measurement.
      if (labelNames.length === 0) this.remove();
      for (const [labels, value] of samples) this.set(labels, value);
    },
  });
}

/** Registers a metric whose value is read at each scrape. */
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
