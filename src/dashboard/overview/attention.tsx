import { Link } from "wouter";
import { formatCount, Time } from "../ui/format";
import { showTooltipBelow } from "../ui/name";
import { Card } from "../ui/page";
import { lookOf, Tag } from "../ui/tag";
import styles from "./attention.module.css";
import type { AttentionKind, AttentionQuery } from "./documents.generated";

type Item = AttentionQuery["attention"][number];

/** The tag of each kind, and the word before the time. */
const KINDS = {
  database_restored: { label: "Restored", tone: "bad", before: "" },
  key_leaked: { label: "Leaked", tone: "bad", before: "" },
  line_failing: { label: "Failing", tone: "bad", before: "since" },
  line_paused: { label: "Paused", tone: "warn", before: "oldest" },
  webhook_failing: { label: "Failing", tone: "bad", before: "since" },
  webhook_disabled: { label: "Disabled", tone: "warn", before: "since" },
  reply_needed: { label: "Needs reply", tone: "warn", before: "oldest" },
  review_needed: { label: "To review", tone: "warn", before: "oldest" },
  decision_failed: { label: "Failed", tone: "bad", before: "first" },
  key_expiring: { label: "Expires soon", tone: "warn", before: "first" },
} as const satisfies Record<AttentionKind, unknown>;

/** "1 message", "1,000+ messages". */
const counted = ({ count, isCountExact }: Item, noun: string): string =>
  `${formatCount(count, isCountExact)} ${noun}${count === 1 && isCountExact ? "" : "s"}`;

/** "10 messages waiting"; nothing if there are none. */
const waiting = (item: Item, noun: string): string =>
  item.count === 0 && item.isCountExact ? "" : `${counted(item, noun)} waiting`;

interface Parts {
  /** The list or page behind the item. */
  href: string;
  title: string;
  details: readonly (string | null | undefined)[];
}

/** The link for an item, and its text. */
function partsOf(item: Item): Parts {
  const { agent, line, webhookEndpoint: webhook, apiKey } = item;
  if (line !== null) {
    const why = item.kind === "line_failing" ? line.fault?.detail : line.pausedReason;
    const details = [waiting(item, "message"), why, agent?.name];
    return { href: `/lines/${line.id}?agent=${agent?.id}`, title: `Line ${line.name}`, details };
  }
  if (webhook !== null) {
    const title = `Webhook ${new URL(webhook.url).host}`;
    return { href: `/webhooks/${webhook.id}`, title, details: [waiting(item, "event")] };
  }
  if (apiKey !== null)
    return { href: `/api-keys/${apiKey.id}`, title: `API key ${apiKey.name}`, details: ["revoked"] };
  switch (item.kind) {
    case "reply_needed":
      return { href: "/conversations", title: counted(item, "conversation"), details: [] };
    case "review_needed":
      return { href: "/to-review", title: counted(item, "message"), details: [] };
    case "key_expiring":
      return { href: "/api-keys?state=expiring", title: counted(item, "API key"), details: [] };
    case "decision_failed":
      return {
        href: `/decisions?agent=${agent?.id}&outcome=failures&period=1`,
        title: counted(item, "decision"),
        details: ["in the last 24 hours", agent?.name],
      };
    default:
      return {
        href: "/settings/audit-log?action=database_restored",
        title: "Database restored from a backup",
        details: ["lines and webhooks are off"],
      };
  }
}

/** The items that need attention, each as a line with a link. */
export const Attention = ({ items }: { items: readonly Item[] }) => (
  <Card title="Needs attention">
    {items.length === 0 ? (
      <p className={styles.good}>
        <Tag tone="good">All good</Tag>
      </p>
    ) : (
      <ul className={styles.items} aria-label="Needs attention">
        {items.map((item) => (
          <Row key={partsOf(item).href} item={item} />
        ))}
      </ul>
    )}
  </Card>
);

function Row({ item }: { item: Item }) {
  const { href, title, details } = partsOf(item);
  // A newer server may have other kinds.
  const { label, tone } = lookOf(KINDS, item.kind);
  const before = KINDS[item.kind]?.before;
  return (
    <li>
      <Tag tone={tone}>{label}</Tag>
      <p className={styles.text}>
        <Link href={href} onMouseMove={showTooltipBelow}>
          <bdi>{title}</bdi>
        </Link>
        {details.map(
          (part) =>
            part != null &&
            part !== "" && (
              <span key={part}>
                {" "}
                · <bdi>{part}</bdi>
              </span>
            ),
        )}
      </p>
      <span className={styles.time}>
        {item.since !== null && (
          <>
            {before} <Time value={item.since} isExact={before === "since"} />
          </>
        )}
      </span>
    </li>
  );
}
