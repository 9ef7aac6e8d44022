import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "wouter";
import { ownerOf } from "../api-keys/key-owner";
import { namesOf, PERIOD_OPTIONS, PERIODS } from "../api-keys/usage-chart";
import { BarChart, SparkLine } from "../ui/chart";
import { formatNumber } from "../ui/format";
import { Card, Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Result } from "../ui/result";
import { Segmented } from "../ui/segmented";
import { columnsOf, DataTable } from "../ui/table";
import type { UsagePeriod, UsageQuery } from "./documents.generated";
import { KeyName } from "./key-name";
import { colorOf, seriesOf } from "./series";

const COLUMNS = columnsOf("Key", "Agent", "Trend", { heading: "Requests", isNumeric: true });

/** Requests by key over a period, and the most used keys. */
export const Usage = (props: {
  query: UseQueryResult<UsageQuery>;
  period: UsagePeriod;
  onPeriod: (period: UsagePeriod) => void;
}) => (
  <Card
    title="Requests by key"
    aside={
      <Segmented label="Period" options={PERIOD_OPTIONS} value={props.period} onChange={props.onPeriod} />
    }
  >
    <Result query={props.query} height={388}>
      {(data) => <Report {...data} period={props.period} stale={props.query.isPlaceholderData} />}
    </Result>
  </Card>
);

function Report(props: UsageQuery & { period: UsagePeriod; stale: boolean }) {
  const { used, usageTotals: totals, period } = props;
  const total = totals.accepted + totals.refused;
  return (
    <div data-stale={props.stale}>
      {total === 0 ? (
        <Empty title={`No requests ${PERIODS[period]}`}>
          <p>Requests with an API key appear here within seconds.</p>
        </Empty>
      ) : (
        <BarChart
          label={`${formatNumber(total)} ${total === 1 ? "request" : "requests"} ${PERIODS[period]}`}
          series={seriesOf(used, totals)}
          {...namesOf(totals.buckets, period)}
        />
      )}
      {used.length > 0 && (
        <DataTable
          label={`Most used keys ${PERIODS[period]}`}
          columns={COLUMNS}
          rows={used.map((use, rank) => ({ ...use, id: use.apiKey.id, color: colorOf(rank) }))}
          cells={({ apiKey, accepted, buckets, color }) => [
            <KeyName key="key" apiKey={apiKey} color={color} />,
            ownerOf(apiKey),
            <SparkLine key="trend" values={buckets.map((bucket) => bucket.accepted)} color={color} />,
            formatNumber(accepted),
          ]}
        />
      )}
      <p className={pageStyles.foot}>
        <Link href="/api-keys">View all API keys</Link>
      </p>
    </div>
  );
}
