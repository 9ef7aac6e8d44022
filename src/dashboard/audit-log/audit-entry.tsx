import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { exactTime, Time } from "../ui/format";
import { Icon } from "../ui/icon";
import styles from "./audit-log.module.css";
import { changesInText, describe, type Entry } from "./sentence";

/** An entry: its sentence and time on one line; expands to show the details. */
export function AuditEntry({ entry }: { entry: Entry }) {
  const [isOpen, setOpen] = useState(false);
  const { who, verb, target, to, after } = describe(entry);
  return (
    <li className={styles.entry}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={styles.line}>
          <span className={styles.sentence}>
            {who !== "" && (
              <>
                <strong>{who}</strong>{" "}
              </>
            )}
            {verb}
            {target !== "" && (
              <>
                {" "}
                <strong>{target}</strong>
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

const factsOf = (entry: Entry): [string, string | null][] => [
  ["Changes", changesInText(entry)],
  ["Key prefix", entry.targetHint],
  ["Actor", entry.actorName],
  ["IP address", entry.ip],
  ["User agent", entry.userAgent],
  ["Request ID", entry.requestId],
  ["Target ID", entry.targetId],
  ["Time", exactTime(entry.createdAt)],
  ["Time (UTC)", entry.createdAt],
];
