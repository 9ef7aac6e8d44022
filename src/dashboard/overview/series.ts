import type { KeyUsageQuery, UsagePeriod } from "../api/documents.generated";

/** The usage of one key. */
export type KeyUse = KeyUsageQuery["keyUsage"][number];

/** Keys with their own color. More than a few colors are hard to tell apart. */
const MAX_COLORS = 5;

/** What a chart draws in one color. */
export interface Series {
  label: string;
  color: string;
  /** One number for each bucket. */
  values: readonly number[];
}

/** The color of a key by its rank, the most used key first. */
export const colorOf = (rank: number): string =>
  rank < MAX_COLORS ? `var(--series-${rank + 1})` : "var(--series-other)";

/** The keys with accepted requests, most requests first. */
export const acceptedOf = (usage: readonly KeyUse[]): KeyUse[] =>
  usage.filter(({ accepted }) => accepted > 0).sort((a, b) => b.accepted - a.accepted);

/** Accepted requests by key. The keys after the first few are summed up. */
export function seriesOf(usage: readonly KeyUse[]): Series[] {
  const used = acceptedOf(usage);
  const colored = used.slice(0, MAX_COLORS).map(({ apiKey, buckets }, rank) => ({
    label: apiKey.name,
    color: colorOf(rank),
    values: buckets.map(({ accepted }) => accepted),
  }));
  const [first, ...rest] = used.slice(MAX_COLORS);
  if (first === undefined) return colored;
  const values = first.buckets.map(({ accepted }, i) =>
    rest.reduce((sum, { buckets }) => sum + (buckets[i]?.accepted ?? 0), accepted),
  );
  return [...colored, { label: "Other keys", color: colorOf(MAX_COLORS), values }];
}

/** When the buckets start. */
export const startsOf = (usage: readonly KeyUse[]): number[] =>
  usage[0]?.buckets.map(({ start }) => Date.parse(start)) ?? [];

/** The next round number, where the axis ends. */
export function roundUp(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

/** The periods within a sentence. */
export const PERIODS: Readonly<Record<UsagePeriod, string>> = {
  last_24_hours: "in the last 24 hours",
  last_30_days: "in the last 30 days",
};
