import { useRef, useState } from "react";
import { Link } from "wouter";
import type { Names } from "../members/use-members";
import { Attempts } from "../messages/attempts";
import { cancelMessage } from "../messages/cancel";
import { AUTHORS, type DeliveryState, isWaiting, StateReason, StatusWord } from "../messages/message-state";
import { Review } from "../messages/review";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { useTask } from "../ui/task";
import type { ThreadMessageFragment } from "./documents.generated";
import styles from "./thread.module.css";

/** Messages at least this long are truncated (characters). */
const LONG_FROM = 1_200;

/** A message in a thread: inbound messages on the left, outbound messages on the right. */
export function MessageItem(props: {
  message: ThreadMessageFragment;
  names: Names;
  contactName: string;
  timezone: string | null;
}) {
  const { message, contactName, timezone } = props;
  const { nameOf } = props.names;
  const { direction, author, memberId, createdAt, subject, quoted, omitted } = message;
  const item = useRef<HTMLLIElement>(null);
  return (
    <li ref={item} tabIndex={-1} className={styles.message} data-direction={direction}>
      <p className={styles.author}>
        <bdi>
          {author === "contact" ? contactName : memberId !== null ? nameOf(memberId) : AUTHORS[author]}
        </bdi>{" "}
        · <Time value={createdAt} />
      </p>
      <div className={styles.bubble}>
        {subject !== null && (
          <p className={styles.subject}>
            <bdi>{subject}</bdi>
          </p>
        )}
        <Text text={message.text} />
        {quoted !== null && (
          <details className={styles.quoted}>
            <summary>Quoted text</summary>
            <p className={styles.text} dir="auto">
              {quoted}
            </p>
          </details>
        )}
        {message.proposedText !== null && message.proposedText !== message.text && (
          <details className={styles.quoted}>
            <summary>Text proposed by the agent</summary>
            <p className={styles.text} dir="auto">
              {message.proposedText}
            </p>
          </details>
        )}
        {omitted !== null && <p className={styles.omitted}>{omitted}</p>}
      </div>
      {message.status === "proposed" && (
        <Review
          id={message.id}
          text={message.text}
          about={`to ${contactName}`}
          onDone={() => item.current?.focus()}
        />
      )}
      <Actions message={message} contact={{ name: contactName, timezone }} />
    </li>
  );
}

function Text({ text }: { text: string }) {
  const [whole, setWhole] = useState(text.length < LONG_FROM);
  if (text === "") return <p className={styles.erased}>The text was erased.</p>;
  return (
    <>
      <p className={styles.text} dir="auto">
        {whole ? text : `${text.slice(0, LONG_FROM / 2)}…`}
      </p>
      {text.length >= LONG_FROM && (
        <button type="button" className={styles.more} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${text.length.toLocaleString()} characters`}
        </button>
      )}
    </>
  );
}

function Actions(props: { message: ThreadMessageFragment; contact: DeliveryState["contact"] }) {
  const { message, contact } = props;
  const { id, direction, status, decisionId, attempts } = message;
  const { may, deactivated } = useViewer();
  const [opened, setOpened] = useState(false);
  const { busy, error, run } = useTask();
  const mayCancel = isWaiting(status) && may("conversations_write") && !deactivated;
  return (
    <>
      <div className={styles.actions}>
        {direction === "outbound" && (
          <span>
            <StatusWord {...message} /> <StateReason {...message} contact={contact} />
          </span>
        )}
        {decisionId !== null && (
          <Link href={`/decisions/${decisionId}`}>{direction === "inbound" ? "View decision" : "Why?"}</Link>
        )}
        {direction === "outbound" && (
          <button type="button" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {attempts === 1 ? "1 attempt" : `${attempts} attempts`}
          </button>
        )}
        {mayCancel && (
          <button type="button" disabled={busy} onClick={() => run(() => cancelMessage(id))}>
            Cancel message
          </button>
        )}
        <Link href={`/messages/${id}`}>Details</Link>
      </div>
      {error !== undefined && <Failure error={error} />}
      {opened && (
        <div className={styles.attempts}>
          <Attempts messageId={id} />
        </div>
      )}
    </>
  );
}
