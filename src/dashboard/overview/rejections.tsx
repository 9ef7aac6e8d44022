import { Link } from "wouter";
import type { UsagePeriod } from "../api/documents.generated";
import { KeyTag } from "../api-keys/key-state";
import { formatNumber } from "../ui/format";
import { Card } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { SparkLine } from "./chart";
import { KeyName } from "./key-name";
import { type KeyUse, PERIODS } from "./series";
import styles from "./usage.module.css";

const COLUMNS: readonly Column[] = [
  { heading: "Key" },
  { heading: "Status" },
  { heading: "Trend" },
  { heading: "Rejected" },
  { heading: "More", hidden: true },
];

/** The revoked and expired keys that are still in use somewhere. */
export function Rejections({ usage, period }: { usage: readonly KeyUse[]; period: UsagePeriod }) {
  const rejected = usage.filter(({ refused }) => refused > 0).sort((a, b) => b.refused - a.refused);
  return (
    <Card title="Rejected requests from inactive keys">
      {rejected.length === 0 ? (
        <p className={styles.none}>No requests with revoked or expired keys {PERIODS[period]}.</p>
      ) : (
        <DataTable label={`Rejected requests by key ${PERIODS[period]}`} columns={COLUMNS}>
          {rejected.map(({ apiKey, refused, buckets }) => (
            <Row
              key={apiKey.id}
              columns={COLUMNS}
              cells={[
                <KeyName key="key" apiKey={apiKey} />,
                <KeyTag key="status" status={apiKey.state} />,
                <SparkLine key="trend" values={buckets.map((bucket) => bucket.refused)} color="var(--bad)" />,
                <span key="sum" className="numbers">
                  {formatNumber(refused)}
                </span>,
                <Link key="more" href={`/audit-log?action=api_key_refused&target=${apiKey.id}`}>
                  View requests<span className="visually-hidden">: {apiKey.name}</span>
                </Link>,
              ]}
            />
          ))}
        </DataTable>
      )}
    </Card>
  );
}
