import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { usePolledQuery } from "../api/client";
import { AuditLogDocument } from "../audit-log/documents.generated";
import { browserOf } from "../members/browser";
import { BarChart } from "../ui/chart";
import { Failure } from "../ui/failure";
import { formatDay, formatNumber, Time } from "../ui/format";
import { Card } from "../ui/page";
import { Segmented } from "../ui/segmented";
import { columnsOf, DataTable } from "../ui/table";
import { Tag } from "../ui/tag";
import styles from "./api-key.module.css";
import {
  type KeyFragment,
  UsageOfKeyDocument,
  type UsageOfKeyQuery,
  type UsagePeriod,
} from "./documents.generated";
import { historyOf } from "./key-actions";
import { namesOf, PERIOD_OPTIONS, PERIODS, REJECTED_COLOR } from "./usage-chart";

/** Number of recent requests shown at first. */
const SHOWN = 10;

const COLUMNS = columnsOf("Operation", "Response", "From", { heading: "Requests", isNumeric: true }, "Last");

/** Accepted and rejected requests with one key over a period, and the operations that it was used for. */
export function KeyUsage({ apiKey }: { apiKey: KeyFragment }) {
  const [period, setPeriod] = useState<UsagePeriod>("last_24_hours");
  const { data, error, refetch } = usePolledQuery(
    UsageOfKeyDocument,
    { id: apiKey.id, period },
    { pollMs: 20_000 },
  );
  return (
    <>
      <Card
        title="Requests"
        aside={<Segmented label="Period" options={PERIOD_OPTIONS} value={period} onChange={setPeriod} />}
      >
        {data === undefined ? (
          <div className={styles.loading}>{error !== null && <Failure error={error} retry={refetch} />}</div>
        ) : (
          <>
            <Shown use={data.keyUsage[0]} period={period} apiKey={apiKey} />
            <Deprecated uses={data.deprecatedUse.nodes} />
          </>
        )}
      </Card>
      {data !== undefined && <RecentRequests uses={data.operationUse} />}
    </>
  );
}

/** The operations that a key was used for, with their outcomes and the addresses of the clients. */
function RecentRequests({ uses }: { uses: UsageOfKeyQuery["operationUse"] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <Card
      title="Recent requests"
      aside={
        uses.length > SHOWN && (
          <Button size="xs" variant="default" onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show fewer" : `Show all ${uses.length}`}
          </Button>
        )
      }
    >
      {uses.length === 0 ? (
        <p className={styles.none}>No accepted requests in the last 30 days.</p>
      ) : (
        <DataTable
          label="Requests by operation, response and address"
          columns={COLUMNS}
          rows={uses
            .slice(0, isWhole ? undefined : SHOWN)
            .map((use) => ({ ...use, id: `${use.operation} ${use.outcome} ${use.ip}` }))}
          cells={({ operation, outcome, ip, uses, lastUsedAt }) => [
            operation ?? "Other requests",
            outcome === null ? (
              "–"
            ) : (
              <Tag key="response" tone={outcome === "ok" ? "good" : "warn"}>
                {outcome === "ok" ? "OK" : outcome}
              </Tag>
            ),
            ip ?? "–",
            formatNumber(uses),
            <Time key="last" value={lastUsedAt} />,
          ]}
        />
      )}
    </Card>
  );
}

/** Deprecated API features used by a key, grouped by removal date. */
const Deprecated = ({ uses }: { uses: UsageOfKeyQuery["deprecatedUse"]["nodes"] }) =>
  [...new Set(uses.map(({ removalAt }) => removalAt))].sort().map((date) => {
    const names = uses.filter(({ removalAt }) => removalAt === date).map(({ name }) => name);
    return (
      <p key={date} className={styles.deprecated}>
        Uses deprecated features that will be removed on {formatDay(date)}: {names.sort().join(", ")}.
      </p>
    );
  });

function Shown(props: {
  use: UsageOfKeyQuery["keyUsage"][number] | undefined;
  period: UsagePeriod;
  apiKey: KeyFragment;
}) {
  const { use, period, apiKey } = props;
  if (use === undefined) return <p className={styles.none}>No requests {PERIODS[period]}.</p>;
  const { accepted, refused, buckets } = use;
  const sentence = `${formatNumber(accepted)} accepted and ${formatNumber(refused)} rejected ${PERIODS[period]}`;
  const series = [
    { label: "Accepted", color: "var(--series-1)", values: buckets.map((bucket) => bucket.accepted) },
    { label: "Rejected", color: REJECTED_COLOR, values: buckets.map((bucket) => bucket.refused) },
  ];
  return (
    <>
      <p className={styles.sum}>
        {sentence}.
        {use.lastRefusal === "address" &&
          " The last rejected request came from outside this key’s allowed networks."}
        {use.lastRefusal === "inactive" && apiKey.state !== "active" && " Something still uses this key."}
        {use.lastRefusal !== null && <LastRejection id={apiKey.id} reason={use.lastRefusal} />}
      </p>
      <BarChart label={sentence} series={series} {...namesOf(buckets, period)} />
    </>
  );
}

const REJECTIONS = { inactive: "api_key_refused", address: "api_key_address_refused" } as const;

/** When and from where a key was last rejected, with a link to all rejections. */
function LastRejection({ id, reason }: { id: string; reason: keyof typeof REJECTIONS }) {
  const action = REJECTIONS[reason];
  const { data } = usePolledQuery(
    AuditLogDocument,
    { first: 1, targetId: id, action, named: false, counted: false },
    { pollMs: 20_000 },
  );
  const entry = data?.auditLog.nodes[0];
  if (entry === undefined) return null;
  return (
    <>
      {" "}
      Last rejected: <Time value={entry.createdAt} />
      {entry.ip !== null && ` from ${entry.ip}`} ({browserOf(entry.userAgent)}).{" "}
      <Link href={`${historyOf(id)}&action=${action}`}>View rejected requests</Link>
    </>
  );
}
