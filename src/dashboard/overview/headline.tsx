import type { ReactNode } from "react";
import { Link } from "wouter";
import { EXPIRING_DAYS } from "../../features/api-keys/api-key.limits";
import { formatCount, formatNumber, formatPercent } from "../ui/format";
import type { ActivityQuery, UsagePeriod, UsageQuery } from "./documents.generated";
import styles from "./headline.module.css";

const counted = ({ count, isExact }: { count: number; isExact: boolean }): string =>
  formatCount(count, isExact);

/**
 * The key figures for a period, each linked to the corresponding list.
 * @param usage undefined for members who do not manage keys
 * @param activity undefined for members who may not read conversations
 */
export function Headline(props: {
  usage: UsageQuery | undefined;
  activity: ActivityQuery["activity"] | undefined;
  period: UsagePeriod;
}) {
  const { usage, activity, period } = props;
  if (usage === undefined && activity === undefined) return null;
  const days = `period=${period === "last_30_days" ? 30 : 1}`;
  return (
    <dl className={styles.numbers}>
      {usage && <OfKeys usage={usage} />}
      {activity && (
        <>
          <Figure
            name="Delivered"
            value={counted(activity.delivered)}
            href={`/messages?status=arrived&${days}`}
          >
            {activity.sent.count > 0 ? (
              <Link href={`/messages?status=sent&${days}`}>{counted(activity.sent)} more sent</Link>
            ) : (
              "messages"
            )}
          </Figure>
          <Figure
            name="Failed"
            value={counted(activity.failed)}
            isBad={activity.failed.count > 0}
            href={`/messages?status=failed&${days}`}
          >
            messages
          </Figure>
          <Figure name="Decisions" value={counted(activity.decisions)} href={`/decisions?${days}`}>
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
      <Figure name="Requests" value={formatNumber(total)} href="/api-keys">
        with all keys
      </Figure>
      <Figure name="Rejected" value={formatNumber(refused)} isBad={refused > 0} href={REJECTED}>
        requests
      </Figure>
      <Figure
        name="Rejected rate"
        value={total === 0 ? "–" : formatPercent(refused / total)}
        href={total === 0 ? undefined : REJECTED}
      >
        of all requests
      </Figure>
      <Figure
        name="Expiring keys"
        value={formatCount(expiring.totalCount, expiring.isTotalCountExact)}
        href="/api-keys?state=expiring"
      >
        within {EXPIRING_DAYS} days
      </Figure>
    </>
  );
}

/** Link to the table of rejected keys, below the figures. */
const REJECTED = "#rejected";

const Figure = (props: {
  name: string;
  value: string;
  isBad?: boolean;
  href: string | undefined;
  children?: ReactNode;
}) => (
  <div className={styles.figure}>
    <dt>{props.name}</dt>
    <dd className={styles.value} data-bad={props.isBad}>
      {props.href === undefined ? (
        props.value
      ) : props.href === REJECTED ? (
        <a href={REJECTED}>{props.value}</a>
      ) : (
        <Link href={props.href}>{props.value}</Link>
      )}
    </dd>
    <dd className={styles.note}>{props.children}</dd>
  </div>
);
