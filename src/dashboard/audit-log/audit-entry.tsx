import { exactTime, Time } from "../ui/format";
import styles from "./audit-log.module.css";
import { describe, describeInText, type Entry } from "./sentence";

/** An entry: the sentence, the time, and the details on demand. */
export function AuditEntry({ entry }: { entry: Entry }) {
  const { who, verb, whom, to, after } = describe(entry);
  return (
    <li className={styles.entry}>
      <p className={styles.sentence}>
        {who !== "" && (
          <>
            <strong>{who}</strong>{" "}
          </>
        )}
        {verb}
        {whom !== "" && (
          <>
            {" "}
            <strong>{whom}</strong>
          </>
        )}
        {to !== "" && (
          <>
            {" "}
            to <strong>{to}</strong>
          </>
        )}
        {after !== "" && ` ${after}`}
      </p>
      <div className={styles.when}>
        <Time value={entry.createdAt} />
        <span>{exactTime(entry.createdAt)}</span>
      </div>
      <details className={styles.details}>
        <summary>
          Details<span className="visually-hidden">: {describeInText(entry)}</span>
        </summary>
        <dl className={styles.facts}>
          {factsOf(entry).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value ?? "–"}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}

const factsOf = (entry: Entry): [string, string | null][] => [
  ["Detail", entry.detail],
  ["Actor", entry.actorName],
  ["IP address", entry.ip],
  ["User agent", entry.userAgent],
  ["Request ID", entry.requestId],
  ["Target ID", entry.targetId],
  ["Time (UTC)", entry.createdAt],
];
