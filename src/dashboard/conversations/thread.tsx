import { Button, Skeleton } from "@mantine/core";
import { Failure } from "../ui/failure";
import { MessageItem } from "./message-item";
import styles from "./thread.module.css";
import type { useThread } from "./use-thread";

/** The messages of a conversation. Opens at the newest message and stays at the end as others arrive. */
export function Thread({
  thread,
  contactName,
  timezone,
}: {
  thread: ReturnType<typeof useThread>;
  contactName: string;
  timezone: string | null;
}) {
  const { messages, hasOlder, loadOlder, isLoadingOlder, olderError } = thread;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
    <div className={styles.scroll} role="log" aria-label="Messages" tabIndex={0}>
      <div className={styles.content}>
        {hasOlder && (
          <div className={styles.older}>
            <Button variant="default" size="xs" loading={isLoadingOlder} onClick={loadOlder}>
              Load older messages
            </Button>
          </div>
        )}
        {olderError !== undefined && <Failure error={olderError} />}
        {messages === undefined ? (
          <Loading />
        ) : messages.length === 0 ? (
          <p className={styles.none}>No messages yet.</p>
        ) : (
          <ol className={styles.messages}>
            {messages.map((message) => (
              <MessageItem key={message.id} message={message} contactName={contactName} timezone={timezone} />
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

const Loading = () => (
  <div className={styles.messages} aria-busy="true">
    <Skeleton height={56} width="60%" radius="md" />
    <Skeleton height={56} width="50%" radius="md" ml="auto" />
    <Skeleton height={56} width="55%" radius="md" />
  </div>
);
