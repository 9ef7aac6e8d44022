import { usePolledQuery } from "../api/client";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { StateTag, Tag } from "../ui/tag";
import { AttemptsDocument, type AttemptsQuery } from "./documents.generated";
import styles from "./messages.module.css";

type Attempt = NonNullable<AttemptsQuery["message"]>["deliveryAttempts"][number];

const OUTCOMES = {
  accepted: { label: "Accepted", tone: "good" },
  retryable: { label: "Failed, will be retried", tone: "warn" },
  permanent: { label: "Rejected permanently", tone: "bad" },
  uncertain: { label: "Outcome unknown", tone: "warn" },
} as const;

/** The attempts to send a message, oldest first. */
export function Attempts({ messageId }: { messageId: string }) {
  const { data, error, refetch } = usePolledQuery(AttemptsDocument, { id: messageId });
  if (error !== null && data === undefined) return <Failure error={error} retry={refetch} />;
  const attempts = data?.message?.deliveryAttempts;
  if (attempts?.length === 0) return <p className={styles.none}>No attempts yet.</p>;
  return (
    <ol className={styles.attempts} aria-label="Attempts" aria-busy={attempts === undefined}>
      {attempts?.map((attempt) => (
        <li key={attempt.number}>
          <AttemptLine attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const { outcome, startedAt, endedAt, code, detail } = attempt;
  return (
    <>
      {outcome === null ? <Tag tone="plain">In progress</Tag> : <StateTag of={OUTCOMES} state={outcome} />}{" "}
      <Time value={startedAt} />
      {endedAt !== null && `, took ${tookOf(startedAt, endedAt)}`}
      {code !== null && (
        <>
          {" "}
          <code>{code}</code>
        </>
      )}
      {detail !== null && <p>{detail}</p>}
    </>
  );
}

/** "85 ms", "2.4 s" */
function tookOf(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
