import { Button, Skeleton } from "@mantine/core";
import { Link } from "wouter";
import { useMembers } from "../members/use-members";
import { Failure } from "../ui/failure";
import { useMisclickGuard } from "../ui/misclick-guard";
import type { LogEntryFragment, ThreadMessageFragment } from "./documents.generated";
import { LogItem } from "./log-item";
import { MessageItem } from "./message-item";
import styles from "./thread.module.css";
import type { useThread } from "./use-thread";

/**
 * Returns the messages and changes in chronological order. Messages without a position come last. Changes
 * older than the first loaded message are omitted until the older messages are loaded.
 * @param log the latest changes, newest first; earlier changes are never shown
 */
function inOrderOfTime(
  messages: readonly ThreadMessageFragment[],
  log: readonly LogEntryFragment[],
  hasOlder: boolean,
): readonly (ThreadMessageFragment | LogEntryFragment)[] {
  const placed = messages.filter(({ sequence }) => sequence !== null);
  const from = hasOlder ? (placed[0]?.createdAt ?? "") : "";
  const changes = log.filter(({ createdAt }) => createdAt >= from).toReversed();
  const items = placed.flatMap((message) => {
    const later = changes.findIndex(({ createdAt }) => createdAt > message.createdAt);
    return [...changes.splice(0, later === -1 ? changes.length : later), message];
  });
  return [...items, ...changes, ...messages.filter(({ sequence }) => sequence === null)];
}

/** A conversation's messages and changes. Opens at the newest message and stays at the end as more arrive. */
export function Thread(props: {
  thread: ReturnType<typeof useThread>;
  contactName: string;
  timezone: string | null;
}) {
  const { thread, contactName, timezone } = props;
  const { conversation, messages, hasMoreUpcoming, hasOlder, loadOlder, isLoadingOlder, olderError } = thread;
  const names = useMembers();
  const guard = useMisclickGuard(messages?.map(({ id }) => id) ?? []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
    <div className={styles.scroll} role="log" aria-label="Messages" aria-busy={isLoadingOlder} tabIndex={0}>
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
        ) : messages.length === 0 && !conversation?.log.nodes.length ? (
          <p className={styles.none}>No messages yet.</p>
        ) : (
          <ol className={styles.messages} {...guard}>
            {inOrderOfTime(messages, conversation?.log.nodes ?? [], hasOlder).map((item) =>
              "kind" in item ? (
                <LogItem key={item.id} entry={item} names={names} />
              ) : (
                <MessageItem
                  key={item.id}
                  message={item}
                  names={names}
                  contactName={contactName}
                  timezone={timezone}
                />
              ),
            )}
            {conversation && hasMoreUpcoming && (
              <li className={styles.entry}>
                <Link
                  href={`/messages?agent=${conversation.agentId}&contact=${conversation.contactId}&status=upcoming`}
                >
                  More messages are waiting
                </Link>
              </li>
            )}
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
