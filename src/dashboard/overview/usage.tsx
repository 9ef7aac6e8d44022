import type { UsagePeriod } from "../api/documents.generated";
import { Choice } from "../ui/choice";
import { wholeNumber } from "../ui/number";
import { Card } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { LOCALE } from "../ui/time";
import { whenNeeded } from "../ui/when-needed";
import { BarChart } from "./bar-chart";
import { KeyName } from "./key-name";
import { acceptedOf, colourOf, type KeyUse, PERIODS, seriesOf, startsOf } from "./series";
import { SparkLine } from "./spark-line";
import styles from "./usage.module.css";

const CHOICES = [
  { value: "last_24_hours", label: "24 hours" },
  { value: "last_30_days", label: "30 days" },
] as const;

const COLUMNS: readonly Column[] = [
  { heading: "Key" },
  { heading: "Agent" },
  { heading: "Over time" },
  { heading: "Accepted" },
];

const hour = whenNeeded(
  () => new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", hour12: false }),
);
const hourOfDay = whenNeeded(
  () =>
    new Intl.DateTimeFormat(LOCALE, { weekday: "short", hour: "2-digit", minute: "2-digit", hour12: false }),
);
const utcDay = whenNeeded(
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
  const sentence = `${wholeNumber(total)} accepted ${total === 1 ? "request" : "requests"} ${PERIODS[period]}`;
  return (
    <Card
      title="Requests by key"
      aside={<Choice label="Period" value={period} options={CHOICES} onChange={props.onPeriod} />}
    >
      <div data-stale={props.stale} className={styles.usage}>
        <BarChart
          label={sentence}
          series={seriesOf(usage)}
          note={`${sentence}.${period === "last_30_days" ? " Days are those of UTC." : ""}`}
          {...namesOf(startsOf(usage, period), period)}
        />
        {used.length > 0 && (
          <DataTable label={`Requests by key ${PERIODS[period]}`} columns={COLUMNS}>
            {used.map(({ apiKey, accepted, buckets }, place) => (
              <Row
                key={apiKey.id}
                columns={COLUMNS}
                cells={[
                  <KeyName key="key" apiKey={apiKey} colour={colourOf(place)} />,
                  apiKey.agent.name,
                  <SparkLine
                    key="spark"
                    values={buckets.map((bucket) => bucket.accepted)}
                    colour={colourOf(place)}
                  />,
                  <span key="sum" className="numbers">
                    {wholeNumber(accepted)}
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

/** What the bars are called in full, and what stands under every sixth of them. */
function namesOf(starts: readonly number[], period: UsagePeriod): { names: string[]; ticks: string[] } {
  const [full, short] = period === "last_24_hours" ? [hourOfDay(), hour()] : [utcDay(), utcDay()];
  return {
    names: starts.map((start) => full.format(start)),
    ticks: starts.map((start, i) => (i % 6 === 0 ? short.format(start) : "")),
  };
}
