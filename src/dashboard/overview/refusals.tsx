import { Link } from "wouter";
import type { UsagePeriod } from "../api/documents.generated";
import { wholeNumber } from "../ui/number";
import { Card } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { Tag } from "../ui/tag";
import { KeyName } from "./key-name";
import styles from "./refusals.module.css";
import { type KeyUse, PERIODS } from "./series";
import { SparkLine } from "./spark-line";

const COLUMNS: readonly Column[] = [
  { heading: "Key" },
  { heading: "State now" },
  { heading: "Over time" },
  { heading: "Refused" },
  { heading: "More", hidden: true },
];

const STATES = { active: "Active", expired: "Expired", revoked: "Revoked" };

/** Which dead keys somebody still calls with. */
export function Refusals({ usage, period }: { usage: readonly KeyUse[]; period: UsagePeriod }) {
  const refused = usage.filter(({ refused }) => refused > 0).sort((a, b) => b.refused - a.refused);
  return (
    <Card title="Refused: dead keys still in use">
      {refused.length === 0 ? (
        <p className={styles.none}>
          No revoked, expired or unresolvable key was presented {PERIODS[period]}.
        </p>
      ) : (
        <DataTable label={`Refused requests by key ${PERIODS[period]}`} columns={COLUMNS}>
          {refused.map(({ apiKey, refused, buckets }) => (
            <Row
              key={apiKey.id}
              columns={COLUMNS}
              cells={[
                <KeyName key="key" apiKey={apiKey} />,
                <Tag key="state" tone={apiKey.state === "revoked" ? "bad" : "plain"}>
                  {STATES[apiKey.state]}
                </Tag>,
                <SparkLine
                  key="spark"
                  values={buckets.map((bucket) => bucket.refused)}
                  colour="var(--bad)"
                />,
                <span key="sum" className="numbers">
                  {wholeNumber(refused)}
                </span>,
                <Link key="more" href={`/audit-log?action=api_key_refused&target=${apiKey.id}`}>
                  Who presents it<span className="visually-hidden">: {apiKey.name}</span>
                </Link>,
              ]}
            />
          ))}
        </DataTable>
      )}
    </Card>
  );
}
