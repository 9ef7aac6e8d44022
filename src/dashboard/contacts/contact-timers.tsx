import { Button } from "@mantine/core";
import { Link } from "wouter";
import { change, usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { useMisclickGuard } from "../ui/misclick-guard";
import { Card } from "../ui/page";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import styles from "./contacts.module.css";
import { CancelTimerDocument, ContactTimersDocument } from "./documents.generated";

/** A contact's pending timers; renders nothing if there are none. Members with write permission can cancel them. */
export function ContactTimers({ id, agentId }: { id: string; agentId: string }) {
  const { may, deactivated } = useViewer();
  const { data, error: failure } = usePolledQuery(ContactTimersDocument, { id, agentId }, { pollMs: 15_000 });
  const { busy, error, run } = useTask();
  const timers = data?.timers.nodes ?? [];
  const guard = useMisclickGuard(timers.map((timer) => timer.id));
  if (timers.length === 0 && failure === null) return null;
  const cancel = (timer: string) =>
    run(async () => {
      await change(CancelTimerDocument, { id: timer });
      toast("Canceled the timer.");
    });
  return (
    <Card title="Timers">
      {timers.length === 0 && <Failure error={failure} />}
      {error !== undefined && <Failure error={error} />}
      <ul className={styles.list} aria-label="Timers" {...guard}>
        {timers.map(({ id: timer, key, situationType, dueAt, decisionId }) => (
          <li key={timer} className={styles.address}>
            <Link href={`/decisions/${decisionId}`}>{situationType}</Link>
            <span>
              <bdi>{key}</bdi>, due <Time value={dueAt} isDue />
            </span>
            {may("conversations_write") && (
              <Button
                size="compact-sm"
                variant="default"
                disabled={busy || deactivated}
                aria-label={`Cancel the timer ${key}`}
                onClick={() => void cancel(timer)}
              >
                Cancel
              </Button>
            )}
          </li>
        ))}
      </ul>
      {data?.timers.pageInfo.hasNextPage && <p className={styles.note}>More timers are waiting.</p>}
    </Card>
  );
}
