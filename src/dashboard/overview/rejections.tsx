import { Link } from "wouter";
import { PERIODS, REJECTED_COLOR } from "../api-keys/usage-chart";
import { SparkLine } from "../ui/chart";
import { formatNumber } from "../ui/format";
import { Card } from "../ui/page";
import { columnsOf, DataTable } from "../ui/table";
import { Tag } from "../ui/tag";
import type { UsagePeriod } from "./documents.generated";
import { KeyName } from "./key-name";
import type { KeyUse } from "./series";
import styles from "./usage.module.css";

const COLUMNS = columnsOf(
  "Key",
  "Reason",
  "Trend",
  { heading: "Rejected", isNumeric: true },
  { heading: "More", hidden: true },
);

/** Returns the reason for a key's last rejection. */
function reasonOf({ lastRefusal, apiKey }: KeyUse): string {
  if (lastRefusal === "address") return "Not from an allowed network";
  return { revoked: "Revoked", expired: "Expired", active: "Was inactive" }[apiKey.state];
}

/** The keys that are rejected but still in use somewhere. */
export const Rejections = ({ rejected, period }: { rejected: readonly KeyUse[]; period: UsagePeriod }) => (
  <Card title="Rejected requests" id="rejected">
    {rejected.length === 0 ? (
      <p className={styles.none}>
        No requests with revoked or expired keys, or from outside a key’s allowed networks, {PERIODS[period]}.
      </p>
    ) : (
      <DataTable
        label={`Rejected requests per key ${PERIODS[period]}`}
        columns={COLUMNS}
        rows={rejected.map((use) => ({ ...use, id: use.apiKey.id }))}
        cells={(use) => [
          <KeyName key="key" apiKey={use.apiKey} />,
          <Tag key="reason" tone={use.apiKey.state === "active" ? "warn" : "bad"}>
            {reasonOf(use)}
          </Tag>,
          <SparkLine
            key="trend"
            values={use.buckets.map((bucket) => bucket.refused)}
            color={REJECTED_COLOR}
          />,
          formatNumber(use.refused),
          <Link key="more" className={styles.more} href={`/settings/audit-log?target=${use.apiKey.id}`}>
            View requests<span className="visually-hidden">: {use.apiKey.name}</span>
          </Link>,
        ]}
      />
    )}
  </Card>
);
