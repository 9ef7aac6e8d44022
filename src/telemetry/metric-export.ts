import { type HrTime, ValueType } from "@opentelemetry/api";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import { getOrCreate } from "../common/get-or-create";
import type { MetricValues } from "./aggregate";

type Metric = MetricValues[number];
type Sample = Metric["values"][number] & { metricName?: string };

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

/** Converts prom-client's metrics to OpenTelemetry's, with the same names and labels. */
export class PrometheusProducer implements MetricProducer {
  private readonly startTime = hrTime(performance.timeOrigin);

  /** @param read returns the current metrics */
  constructor(private readonly read: () => Promise<MetricValues>) {}

  async collect(): ReturnType<MetricProducer["collect"]> {
    const values = await this.read();
    const times = { startTime: this.startTime, endTime: hrTime(Date.now()) };
    const metrics = values.map((metric) => metricOf(metric, times));
    return {
      // The reader ignores the resource of a producer.
      resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: { name: "gateway" }, metrics }] },
      errors: [],
    };
  }
}

function metricOf(metric: Metric, times: Pick<DataPoint<number>, "startTime" | "endTime">): MetricData {
  const common = {
    descriptor: { name: metric.name, description: metric.help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const pointOf = <T>(attributes: Record<string, string | number>, value: T) => ({
    ...times,
    attributes,
    value,
  });
  // prom-client declares the types as numbers, but they are names.
  const type = String(metric.type);
  if (type === "histogram")
    return {
      ...common,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histogramsOf(metric).map(([labels, value]) => pointOf(labels, value)),
    };
  const dataPoints = metric.values.map(({ labels, value }) =>
    pointOf(labels as Record<string, string>, value),
  );
  return type === "counter"
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Groups the samples of a histogram by their other labels. A Prometheus bucket also counts all smaller values. */
function histogramsOf({ name, values }: Metric) {
  const groups = new Map<string, { labels: Record<string, string>; samples: Sample[] }>();
  for (const sample of values as Sample[]) {
    const { le, ...labels } = sample.labels as Record<string, string>;
    const key = JSON.stringify(labels);
    getOrCreate(groups, key, () => ({ labels, samples: [] })).samples.push(sample);
  }
  return [...groups.values()].map(({ labels, samples }) => {
    const only = (suffix: string) =>
      samples.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const buckets = samples.filter(({ metricName }) => metricName === `${name}_bucket`);
    const boundaries = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite);
    const counts = buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0));
    return [labels, { buckets: { boundaries, counts }, sum: only("sum"), count: only("count") }] as const;
  });
}
