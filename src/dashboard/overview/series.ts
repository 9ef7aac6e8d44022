import { ownerOf } from "../api-keys/key-owner";
import { REJECTED_COLOR } from "../api-keys/usage-chart";
import type { Series } from "../ui/chart";
import type { UsageQuery } from "./documents.generated";

export type KeyUse = UsageQuery["used"][number];

/** The usage of all keys. */
type Totals = UsageQuery["usageTotals"];

/** Returns the color of one of the five most used keys, by rank; more colors would be hard to tell apart. */
export const colorOf = (rank: number): string => `var(--series-${rank + 1})`;

/** Returns one series per busiest key, one for all other keys and one for rejected requests; omits empty ones. */
export function seriesOf(used: readonly KeyUse[], { buckets }: Totals): Series[] {
  const top = used.map(({ apiKey, buckets: own }, rank) => ({
    // Two agents may have keys with the same name.
    label: used.some((other) => other.apiKey !== apiKey && other.apiKey.name === apiKey.name)
      ? `${apiKey.name} (${ownerOf(apiKey)})`
      : apiKey.name,
    color: colorOf(rank),
    values: own.map(({ accepted }) => accepted),
  }));
  const others = buckets.map(({ accepted }, i) =>
    Math.max(
      0,
      top.reduce((rest, { values }) => rest - (values[i] ?? 0), accepted),
    ),
  );
  const all = [
    ...top,
    { label: "Other keys", color: "var(--series-other)", values: others },
    { label: "Rejected", color: REJECTED_COLOR, values: buckets.map(({ refused }) => refused) },
  ];
  return all.filter(({ values }) => values.some((value) => value > 0));
}
