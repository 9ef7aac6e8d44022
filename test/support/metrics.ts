import type { TestGateway } from "./gateway";

/** A line in Prometheus' text format. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? ([-+]?(?:[0-9.e+-]+|Inf)|NaN)$`);
const TYPES = ["counter", "gauge", "histogram", "summary"];

/**
 * Parses Prometheus' text format 0.0.4 as strictly as its own checker.
 * @throws Error for anything that it does not allow
 */
export function parseMetrics(text: string): Sample[] {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind !== undefined) {
      const known = kind === "HELP" ? helped : types;
      if (known.has(name)) throw new Error(`twice: ${line}`);
      if (kind === "TYPE" && !TYPES.includes(rest)) throw new Error(`no such type: ${line}`);
      if (kind === "HELP") helped.add(name);
      else types.set(name, rest);
      continue;
    }
    const sample = sampleOf(line);
    const family = types.has(sample.name) ? sample.name : sample.name.replace(/_(bucket|sum|count)$/, "");
    if (!types.has(family) || !helped.has(family)) throw new Error(`neither TYPE nor HELP before: ${line}`);
    if (types.get(family) === "counter" && !family.endsWith("_total")) throw new Error(`no _total: ${line}`);
    const key = line.slice(0, line.lastIndexOf(" "));
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    samples.push(sample);
  }
  for (const [name, type] of types) if (type === "histogram") assertHistogram(name, samples);
  return samples;
}

function sampleOf(line: string): Sample {
  const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value?.replace("Inf", "Infinity")) };
}

/** Checks that buckets increase up to `+Inf`, which counts all values. */
function assertHistogram(name: string, samples: readonly Sample[]): void {
  for (const { labels, value: all } of samples.filter((sample) => sample.name === `${name}_count`)) {
    const own = samples.filter(
      (sample) =>
        sample.name === `${name}_bucket` && Object.entries(labels).every(([k, v]) => sample.labels[k] === v),
    );
    const bounds = own.map((sample) => Number(sample.labels.le?.replace("Inf", "Infinity")));
    const counts = own.map(({ value }) => value);
    const ascending = (numbers: number[]) => numbers.every((n, i) => i === 0 || n >= (numbers[i - 1] ?? n));
    if (!ascending(bounds) || !ascending(counts) || bounds.at(-1) !== Infinity || counts.at(-1) !== all) {
      throw new Error(`the buckets of ${name} ${JSON.stringify(labels)} do not add up`);
    }
  }
}

/**
 * Scrapes a gateway.
 * @returns a function that returns the value of a sample by some of its labels; 0 if it is missing
 */
export async function scrape(gateway: Pick<TestGateway, "rest">) {
  const { status, text } = await gateway.rest("GET", "/metrics", { token: null });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  const samples = parseMetrics(text);
  const total = (name: string, labels: Record<string, string> = {}): number =>
    samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  return { text, samples, total };
}
