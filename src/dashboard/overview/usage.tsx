import { SegmentedControl } from "@mantine/core";
import type { UsagePeriod } from "../api/documents.generated";
import { formatNumber, LOCALE, lazy } from "../ui/format";
import { Card } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { BarChart, SparkLine } from "./chart";
import { KeyName } from "./key-name";
import { acceptedOf, colorOf, type KeyUse, PERIODS, seriesOf, startsOf } from "./series";
import styles from "./usage.module.css";

const PERIOD_OPTIONS: { value: UsagePeriod; label: string }[] = [
  { value: "last_24_hours", label: "24 hours" },
  { value: "last_30_days", label: "30 days" },
];

const COLUMNS: readonly Column[] = [
  { heading: "Key" },
  { heading: "Agent" },
  { heading: "Trend" },
  { heading: "Requests" },
];

const hour = lazy(
  () => new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", hour12: false }),
);
const hourOfDay = lazy(
  () =>
    new Intl.DateTimeFormat(LOCALE, { weekday: "short", hour: "2-digit", minute: "2-digit", hour12: false }),
);
const utcDay = lazy(
  () => new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", timeZone: "UTC" }),
);

/** Requests by key over a period. */
export function Usage(props: {
  usage: readonly KeyUse[];
  period: UsagePeriod;
  stale: boolean;
  onPeriod: (period: UsagePeriod) => void;
}) {
  const { usage, period } = props;
  const used = acceptedOf(usage);
  const total = used.reduce((sum, { accepted }) => sum + accepted, 0);
  const count = total === 0 ? "No" : formatNumber(total);
  const sentence = `${count} ${total === 1 ? "request" : "requests"} ${PERIODS[period]}`;
  return (
    <Card
      title="Requests by key"
      aside={
        <SegmentedControl
          aria-label="Period"
          data={PERIOD_OPTIONS}
          value={period}
          onChange={props.onPeriod}
        />
      }
    >
      <div data-stale={props.stale} className={styles.usage}>
        {used.length === 0 ? (
          <p className={styles.none}>{sentence}.</p>
        ) : (
          <BarChart
            label={sentence}
            series={seriesOf(usage)}
            note={`${sentence}.${period === "last_30_days" ? " Days are in UTC." : ""}`}
            {...namesOf(startsOf(usage), period)}
          />
        )}
        {used.length > 0 && (
          <DataTable label={`Requests by key ${PERIODS[period]}`} columns={COLUMNS}>
            {used.map(({ apiKey, accepted, buckets }, rank) => (
              <Row
                key={apiKey.id}
                columns={COLUMNS}
                cells={[
                  <KeyName key="key" apiKey={apiKey} color={colorOf(rank)} />,
                  apiKey.agent.name,
                  <SparkLine
                    key="trend"
                    values={buckets.map((bucket) => bucket.accepted)}
                    color={colorOf(rank)}
                  />,
                  <span key="sum" className="numbers">
                    {formatNumber(accepted)}
                  </span>,
                ]}
              />
            ))}
          </DataTable>
        )}
      </div>
    </Card>
  );
}

/** The full name of each bar, and the text below every sixth. */
function namesOf(starts: readonly number[], period: UsagePeriod): { names: string[]; ticks: string[] } {
  const [full, short] = period === "last_24_hours" ? [hourOfDay(), hour()] : [utcDay(), utcDay()];
  return {
    names: starts.map((start) => full.format(start)),
    ticks: starts.map((start, i) => (i % 6 === 0 ? short.format(start) : "")),
  };
}
