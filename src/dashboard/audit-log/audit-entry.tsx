import { IconChevronDown } from "@tabler/icons-react";
import { Fragment, type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Names } from "../members/use-members";
import { nameOfPartner } from "../parts/contact-label";
import { exactTime, Time } from "../ui/format";
import { Icon } from "../ui/icon";
import { subjectHref } from "../ui/subject-href";
import styles from "./audit-log.module.css";
import { describe, type Entry, fieldName, valuesOf } from "./sentence";

/**
 * An audit log entry: its sentence and time on one line, expandable to show the details.
 * @param props.labelOf returns the label for a member's ID and e-mail address
 */
export function AuditEntry(props: { entry: Entry; labelOf: Names["labelOf"] }) {
  const { entry, labelOf } = props;
  const [isOpen, setOpen] = useState(false);
  const { who, verb, target, to, after } = describe(entry);
  return (
    <li className={styles.entry}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={styles.line}>
          <span className={styles.sentence}>
            {who !== "" && (
              <>
                <strong>
                  <bdi>{labelOf(entry.actorId, who)}</bdi>
                </strong>{" "}
              </>
            )}
            {verb}
            {target !== "" && (
              <>
                {" "}
                <strong>
                  <bdi>{target}</bdi>
                </strong>
              </>
            )}
            {to !== "" && (
              <>
                {" "}
                to <strong>{to}</strong>
              </>
            )}
            {after !== "" && ` ${after}`}
          </span>
          <Time value={entry.createdAt} />
          <Icon of={IconChevronDown} size={16} />
        </summary>
        {isOpen && (
          <dl className={styles.facts}>
            {factsOf(entry).map(
              ([name, value]) =>
                value !== null && (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ),
            )}
          </dl>
        )}
      </details>
    </li>
  );
}

/** The kinds of resources that changed fields refer to by ID. */
const REFERENCES: Readonly<Record<string, string>> = { agentId: "agent", replacedById: "api_key" };

/** Returns an entry's changes, with links from IDs to the pages of their resources. */
const changesOf = ({ changes, detail }: Entry): ReactNode =>
  changes.length === 0
    ? detail
    : changes.map((change, index) => (
        <Fragment key={change.field}>
          {index > 0 && "; "}
          {fieldName(change)}:{" "}
          {valuesOf(change).map((value, position) => (
            <Fragment key={value}>
              {position > 0 && " → "}
              {linked(change.field, value)}
            </Fragment>
          ))}
        </Fragment>
      ));

function linked(field: string, value: string): ReactNode {
  const kind = REFERENCES[field];
  const href = kind !== undefined && value !== "none" ? subjectHref(`${kind}:${value}`) : undefined;
  return href === undefined ? value : <Link href={href}>{value}</Link>;
}

/** Returns a link to the affected conversation, contact or message. */
function linkTo({ action, targetId, conversation, contact }: Entry): ReactNode {
  if (conversation) return <Link href={`/conversations/${targetId}`}>{nameOfPartner(conversation)}</Link>;
  if (contact) return <Link href={`/contacts/${targetId}`}>{nameOfPartner({ contact, address: null })}</Link>;
  return action === "message_approved" || action === "message_discarded" ? (
    <Link href={`/messages/${targetId}`}>The message</Link>
  ) : null;
}

const factsOf = (entry: Entry): [string, ReactNode][] => [
  ["Changes", changesOf(entry)],
  ["About", linkTo(entry)],
  ["Key prefix", entry.targetHint],
  ["Actor", entry.actorName],
  ["IP address", entry.ip],
  ["User agent", entry.userAgent],
  ["Request ID", entry.requestId],
  ["Target ID", entry.targetId],
  ["Time", exactTime(entry.createdAt)],
  ["Time (UTC)", entry.createdAt],
];
