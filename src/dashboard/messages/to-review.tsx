import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { usePolledQuery } from "../api/client";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { isFocusFree } from "../ui/keep-focus";
import { PAGE_SIZE } from "../ui/list";
import { useCursorFallback, useListAddress } from "../ui/list-address";
import { useMisclickGuard } from "../ui/misclick-guard";
import { Empty, Page, Placeholder } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Pager } from "../ui/pager";
import { ProposedDocument, type ProposedQuery } from "./documents.generated";
import styles from "./messages.module.css";
import { Review } from "./review";

type Proposal = ProposedQuery["messages"]["nodes"][number];

/** Inbox → To review: messages proposed by agents, oldest first, until they are approved or discarded. */
export function ToReview() {
  const { after } = useListAddress();
  const query = usePolledQuery(ProposedDocument, { first: PAGE_SIZE, after });
  const messages = query.data?.messages;
  useCursorFallback(query, messages?.nodes.length);
  return (
    <Page
      title="To review"
      section="Inbox"
      lead="Messages proposed by your agents, oldest first. Nothing is sent until someone approves it."
    >
      <div className={pageStyles.card}>
        {messages !== undefined ? (
          <Proposals messages={messages.nodes} isLoading={query.isPlaceholderData} />
        ) : query.error !== null ? (
          <Failure error={query.error} retry={query.refetch} />
        ) : (
          <Placeholder />
        )}
        <Pager connection={messages} stale={query.isPlaceholderData} pageSize={PAGE_SIZE} />
      </div>
    </Page>
  );
}

function Proposals({ messages, isLoading }: { messages: readonly Proposal[]; isLoading: boolean }) {
  const list = useRef<HTMLDivElement>(null);
  const [reviewed, setReviewed] = useState<{ id: string; index: number }>();
  const guard = useMisclickGuard(messages.map(({ id }) => id));
  // After a review, focuses the next message, to keep keyboard users in the list. The reviewed message may
  // already be gone by then: `onDone` is called after all of the page's data has been reloaded, which may
  // take longer than reloading the list.
  useEffect(() => {
    if (reviewed === undefined || messages.some(({ id }) => id === reviewed.id)) return;
    setReviewed(undefined);
    if (!isFocusFree()) return;
    const items = list.current?.querySelectorAll<HTMLElement>("li[tabindex]");
    (items?.[Math.min(reviewed.index, messages.length - 1)] ?? list.current)?.focus();
  }, [reviewed, messages]);
  return (
    <div ref={list} tabIndex={-1} className={styles.proposals} {...guard}>
      {messages.length === 0 && isLoading ? (
        <Placeholder />
      ) : messages.length === 0 ? (
        <Empty title="Nothing to review">
          <p>
            Messages appear here if a rule has <code>review</code>, or if an agent’s policy requires a review.
          </p>
        </Empty>
      ) : (
        <ol aria-label="Messages to review">
          {messages.map((message, index) => (
            <li key={message.id} tabIndex={-1}>
              <Item message={message} onDone={() => setReviewed({ id: message.id, index })} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Item({ message, onDone }: { message: Proposal; onDone: () => void }) {
  const { id, text, subject, createdAt, expiresAt, decisionId, agent, conversation } = message;
  const to =
    conversation?.contact?.name ?? conversation?.contact?.ref ?? conversation?.address ?? "no contact";
  return (
    <>
      <p className={pageStyles.second}>
        <bdi>{agent.name}</bdi> to{" "}
        {conversation === null ? (
          to
        ) : (
          <Link href={`/conversations/${conversation.id}`}>
            <bdi>{to}</bdi>
          </Link>
        )}{" "}
        · <Time value={createdAt} />
        {expiresAt !== null && (
          <>
            {" "}
            · expires <Time value={expiresAt} isDue />
          </>
        )}
        {decisionId !== null && (
          <>
            {" "}
            · <Link href={`/decisions/${decisionId}`}>Why?</Link>
          </>
        )}
      </p>
      {subject !== null && (
        <p className={styles.subject}>
          <bdi>{subject}</bdi>
        </p>
      )}
      <p className={styles.text} dir="auto">
        {text}
      </p>
      <Review id={id} text={text} about={`to ${to}`} onDone={onDone} />
    </>
  );
}
