import type { UseQueryResult } from "@tanstack/react-query";
import { formatCount, Time } from "../ui/format";
import { Card } from "../ui/page";
import { Result } from "../ui/result";
import { type ListedRow, RowList } from "../ui/row-list";
import { lookOf, Tag } from "../ui/tag";
import styles from "./attention.module.css";
import type { AttentionKind, AttentionQuery } from "./documents.generated";

type Item = AttentionQuery["attention"][number];

/** The tag for each kind of item, and the word shown before its time. */
const KINDS = {
  database_restored: { label: "Restored", tone: "bad", before: "" },
  key_leaked: { label: "Leaked", tone: "bad", before: "" },
  line_failing: { label: "Failing", tone: "bad", before: "started" },
  line_paused: { label: "Paused", tone: "warn", before: "oldest" },
  webhook_failing: { label: "Failing", tone: "bad", before: "started" },
  webhook_disabled: { label: "Disabled", tone: "warn", before: "" },
  reply_needed: { label: "Needs reply", tone: "warn", before: "oldest" },
  review_needed: { label: "To review", tone: "warn", before: "oldest" },
  decision_failed: { label: "Failed", tone: "bad", before: "first" },
  key_expiring: { label: "Expires soon", tone: "warn", before: "first" },
} as const satisfies Record<AttentionKind, unknown>;

/** Formats an item's count with a noun: "1 message", "1,000+ messages". */
const counted = ({ count, isCountExact }: Item, noun: string): string =>
  `${formatCount(count, isCountExact)} ${noun}${count === 1 && isCountExact ? "" : "s"}`;

/** Returns "10 messages waiting", or "" if there are none. */
const waiting = (item: Item, noun: string): string =>
  item.count === 0 && item.isCountExact ? "" : `${counted(item, noun)} waiting`;

type Parts = Pick<ListedRow, "href" | "title" | "details">;

/** Returns an item's text, and a link to the affected list or page. */
function partsOf(item: Item): Parts {
  const { agent, line, webhookEndpoint: webhook, apiKey } = item;
  if (line !== null) {
    const why = item.kind === "line_failing" ? line.fault?.detail : line.pausedReason;
    const details = [waiting(item, "message"), why, agent?.name];
    return { href: `/lines/${line.id}?agent=${agent?.id}`, title: `Line ${line.name}`, details };
  }
  if (webhook !== null) {
    const { host, pathname } = new URL(webhook.url);
    // Endpoints on the same host differ by their paths.
    const details = [pathname === "/" ? "" : pathname, waiting(item, "event"), item.lastError];
    return { href: `/webhooks/${webhook.id}`, title: `Webhook ${host}`, details };
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

function rowOf(item: Item): ListedRow {
  const { kind, since } = item;
  // A newer server may have other kinds.
  const { label, tone } = lookOf(KINDS, kind);
  const before = KINDS[kind]?.before;
  return {
    ...partsOf(item),
    state: <Tag tone={tone}>{label}</Tag>,
    time: since !== null && (
      <>
        {before} <Time value={since} />
      </>
    ),
  };
}

/**
 * The items that need attention, each in a row with a link.
 * @param props.manages false if lines, webhooks and keys are not included
 */
export const Attention = (props: { query: UseQueryResult<AttentionQuery>; manages: boolean }) => (
  <Card title="Needs attention">
    <Result query={props.query} height={48}>
      {({ attention: items }) =>
        items.length === 0 ? (
          <p className={styles.good}>
            <Tag tone="good">{props.manages ? "All good" : "Nothing for you to do"}</Tag>
          </p>
        ) : (
          <RowList label="Needs attention" rows={items.map(rowOf)} />
        )
      }
    </Result>
  </Card>
);
