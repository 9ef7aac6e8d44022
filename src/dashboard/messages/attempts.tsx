import { usePolledQuery } from "../api/client";
import { AttemptList } from "../ui/attempt-list";
import { Failure } from "../ui/failure";
import { StateTag, Tag } from "../ui/tag";
import { AttemptsDocument } from "./documents.generated";
import styles from "./messages.module.css";

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
    <AttemptList
      attempts={attempts?.map(({ number, outcome, startedAt, endedAt, code, detail }) => ({
        key: number,
        state:
          outcome === null ? <Tag tone="plain">In progress</Tag> : <StateTag of={OUTCOMES} state={outcome} />,
        at: startedAt,
        tookMs: endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt),
        code,
        detail,
      }))}
    />
  );
}
