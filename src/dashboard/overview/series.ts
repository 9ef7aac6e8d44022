import type { KeyUsageQuery, UsagePeriod } from "../api/documents.generated";

/** One key's uses. */
export type KeyUse = KeyUsageQuery["keyUsage"][number];

/** Keys with a colour of their own; more than a few could not be told apart. */
const OWN_COLOURS = 5;

/** What a chart draws in one colour. */
export interface Series {
  label: string;
  colour: string;
  /** One number for each bucket. */
  values: readonly number[];
}

/** The colour of the key at this place, the most used one first. */
export const colourOf = (place: number): string =>
  place < OWN_COLOURS ? `var(--series-${place + 1})` : "var(--series-other)";

/** The keys that were accepted, most often first. */
export const acceptedOf = (usage: readonly KeyUse[]): KeyUse[] =>
  usage.filter(({ accepted }) => accepted > 0).sort((a, b) => b.accepted - a.accepted);

/** Accepted requests by key; the less used ones together. */
export function seriesOf(usage: readonly KeyUse[]): Series[] {
  const used = acceptedOf(usage);
  const own = used.slice(0, OWN_COLOURS).map(({ apiKey, buckets }, place) => ({
    label: apiKey.name,
    colour: colourOf(place),
    values: buckets.map(({ accepted }) => accepted),
  }));
  const [first, ...rest] = used.slice(OWN_COLOURS);
  if (first === undefined) return own;
  const values = first.buckets.map(({ accepted }, i) =>
    rest.reduce((sum, { buckets }) => sum + (buckets[i]?.accepted ?? 0), accepted),
  );
  return [...own, { label: "other keys", colour: colourOf(OWN_COLOURS), values }];
}

/** The first moments of the buckets, also where no key was used and nobody says so. */
export function startsOf(usage: readonly KeyUse[], period: UsagePeriod, now = Date.now()): number[] {
  const known = usage[0]?.buckets.map(({ start }) => Date.parse(start));
  if (known !== undefined) return known;
  const [count, length] = period === "last_24_hours" ? [24, 3_600_000] : [30, 86_400_000];
  const last = Math.floor(now / length);
  return Array.from({ length: count }, (_, i) => (last - count + 1 + i) * length);
}

/** The least round number that is no less: where an axis ends. */
export function roundUp(value: number): number {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

/** In words, as long as they are. */
export const PERIODS: Readonly<Record<UsagePeriod, string>> = {
  last_24_hours: "in the last 24 hours",
  last_30_days: "in the last 30 days",
};
