import { exactTime, Time } from "../ui/time";
import styles from "./audit-log.module.css";
import { changesInText, type Entry, tell } from "./sentence";

/** An entry: the sentence, when and from where, and the rest for whoever asks. */
export function AuditEntry({ entry }: { entry: Entry }) {
  const { who, verb, whom, to, after } = tell(entry);
  return (
    <li className={styles.entry}>
      <p className={styles.sentence}>
        <strong>{who}</strong> {verb}
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
        {after !== "" && `, ${after}`}
      </p>
      <div className={styles.when}>
        <Time value={entry.createdAt} />
        <span>{exactTime(entry.createdAt)}</span>
      </div>
      <details className={styles.details}>
        <summary>
          Details<span className="visually-hidden">: {`${who} ${verb} ${whom}`}</span>
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
  ["Changes", changesInText(entry)],
  ["Key’s hint", entry.targetHint],
  ["By", entry.actorName],
  ["Address", entry.ip],
  ["Program", entry.userAgent],
  ["Request id", entry.requestId],
  ["Subject’s id", entry.targetId],
  ["Time in UTC", entry.createdAt],
];
