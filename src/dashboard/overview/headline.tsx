import type { ReactNode } from "react";
import { Link } from "wouter";
import { EXPIRING_DAYS } from "../api-keys/key-state";
import { formatCount, formatNumber, LOCALE, lazy } from "../ui/format";
import type { ActivityQuery, UsageQuery } from "./documents.generated";
import styles from "./headline.module.css";

const percent = lazy(() => new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 }));

const counted = ({ count, isExact }: { count: number; isExact: boolean }): string =>
  formatCount(count, isExact);

/**
 * The figures for a period at a glance.
 * @param usage undefined for members who do not manage keys
 * @param activity undefined for members who may not read conversations
 */
export function Headline({
  usage,
  activity,
}: {
  usage: UsageQuery | undefined;
  activity: ActivityQuery["activity"] | undefined;
}) {
  if (usage === undefined && activity === undefined) return null;
  return (
    <dl className={styles.numbers}>
      {usage && <OfKeys usage={usage} />}
      {activity && (
        <>
          <Figure name="Delivered" value={counted(activity.delivered)}>
            {activity.sent.count > 0 ? `messages, ${counted(activity.sent)} more sent` : "messages"}
          </Figure>
          <Figure name="Failed" value={counted(activity.failed)} isBad={activity.failed.count > 0}>
            messages
          </Figure>
          <Figure name="Decisions" value={counted(activity.decisions)}>
            of all agents
          </Figure>
        </>
      )}
    </dl>
  );
}

function OfKeys({ usage: { usageTotals, expiring } }: { usage: UsageQuery }) {
  const { accepted, refused } = usageTotals;
  const total = accepted + refused;
  return (
    <>
      <Figure name="Requests" value={formatNumber(total)}>
        with all keys
      </Figure>
      <Figure name="Rejected" value={formatNumber(refused)} isBad={refused > 0}>
        requests
      </Figure>
      <Figure name="Rejected rate" value={total === 0 ? "–" : percent().format(refused / total)}>
        of all requests
      </Figure>
      <Figure name="Expiring keys" value={formatCount(expiring.totalCount, expiring.isTotalCountExact)}>
        {expiring.totalCount > 0 ? (
          <Link href="/api-keys?state=expiring">within {EXPIRING_DAYS} days</Link>
        ) : (
          `within ${EXPIRING_DAYS} days`
        )}
      </Figure>
    </>
  );
}

const Figure = (props: { name: string; value: string; isBad?: boolean; children?: ReactNode }) => (
  <div className={styles.figure}>
    <dt>{props.name}</dt>
    <dd className={styles.value} data-bad={props.isBad}>
      {props.value}
    </dd>
    <dd className={styles.note}>{props.children}</dd>
  </div>
);
