import { Button } from "@mantine/core";
import { Link, useLocation, useParams } from "wouter";
import { usePolledQuery } from "../api/client";
import { useMembers } from "../members/use-members";
import { nameOfPartner } from "../parts/contact-label";
import { LineLink } from "../parts/line-link";
import { unsent } from "../parts/unsent";
import { useViewer } from "../session/session";
import { Beside } from "../ui/beside";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { FoundPage } from "../ui/found-page";
import { Card, Page } from "../ui/page";
import { useTask } from "../ui/task";
import { Attempts } from "./attempts";
import { cancelMessage } from "./cancel";
import { MessageDocument, type MessageQuery } from "./documents.generated";
import { AUTHORS, isWaiting, StateReason, StatusTag } from "./message-state";
import styles from "./messages.module.css";
import { Review } from "./review";

const SECTION = <Link href="/messages">Messages</Link>;

type MessageData = NonNullable<MessageQuery["message"]>;

/** One message: its text and delivery status. */
export function Message() {
  const { id = "" } = useParams<{ id: string }>();
  const query = usePolledQuery(MessageDocument, { id });
  return (
    <FoundPage of="message" query={query} item={query.data?.message}>
      {(message) => <MessagePage message={message} />}
    </FoundPage>
  );
}

function MessagePage({ message }: { message: MessageData }) {
  const { id: memberId, may, deactivated } = useViewer();
  const [, navigate] = useLocation();
  const { busy, error, run } = useTask();
  const { id, direction, status, author, subject, html, quoted, omitted, conversation, conversationId } =
    message;
  const mayCancel = isWaiting(status) && may("conversations_write");
  const wasNotSent = status === "failed" || status === "canceled";
  const writeAgain = () => {
    if (conversationId === null) return;
    const earlier = unsent.get(memberId, conversationId);
    unsent.set(memberId, conversationId, [earlier, message.text].filter(Boolean).join("\n"));
    navigate(`/conversations/${conversationId}`);
  };
  return (
    <Page
      title={direction === "inbound" ? "Message from a contact" : `Message from ${FROM[author]}`}
      section={SECTION}
      actions={
        <>
          {mayCancel && (
            <Button
              variant="default"
              disabled={deactivated}
              loading={busy}
              onClick={() => run(() => cancelMessage(id))}
            >
              Cancel message
            </Button>
          )}
          {wasNotSent && conversation?.state === "open" && may("conversations_write") && (
            <Button variant="default" disabled={deactivated || message.text === ""} onClick={writeAgain}>
              Write again…
            </Button>
          )}
        </>
      }
    >
      {error !== undefined && <Failure error={error} />}
      <Beside aside={<About message={message} />}>
        <Card title={subject ?? "Text"}>
          <div className={styles.body}>
            {message.text === "" ? (
              <p className={styles.erased}>The text was erased.</p>
            ) : (
              <p className={styles.text} dir="auto">
                {message.text}
              </p>
            )}
            {status === "proposed" && (
              <Review id={id} text={message.text} about="" onDone={() => undefined} />
            )}
            {html !== null && (
              <details>
                <summary>HTML</summary>
                <p className={styles.text}>{html}</p>
              </details>
            )}
            {quoted !== null && (
              <details>
                <summary>Quoted text</summary>
                <p className={styles.text} dir="auto">
                  {quoted}
                </p>
              </details>
            )}
            {message.proposedText !== null && message.proposedText !== message.text && (
              <details>
                <summary>Text proposed by the agent</summary>
                <p className={styles.text} dir="auto">
                  {message.proposedText}
                </p>
              </details>
            )}
            {omitted !== null && <p className={styles.erased}>{omitted}</p>}
          </div>
        </Card>
        {direction === "outbound" && (
          <Card title="Delivery attempts">
            <div className={styles.body}>
              <Attempts messageId={id} />
            </div>
          </Card>
        )}
      </Beside>
    </Page>
  );
}

const FROM = { ...AUTHORS, agent: "the agent", api: "the API", member: "your team", system: "the gateway" };

const About = ({ message }: { message: MessageData }) => {
  const { author, memberId, conversation, conversationId, decisionId, providerId, resentAs, direction } =
    message;
  const { nameOf } = useMembers();
  const time = (value: string | null) => value !== null && <Time value={value} />;
  return (
    <Card title="Delivery">
      <Facts
        facts={{
          Status: (
            <div className={styles.state}>
              <StatusTag {...message} />
              <StateReason {...message} contact={message.conversation?.contact} />
            </div>
          ),
          From: memberId === null ? AUTHORS[author] : nameOf(memberId),
          Contact: conversation && (
            <Link href={`/contacts/${conversation.contactId}`}>
              <bdi>{nameOfPartner(conversation)}</bdi>
            </Link>
          ),
          Line: message.lineName !== null && (
            <LineLink id={message.lineId} agentId={message.agentId} name={message.lineName} />
          ),
          Conversation:
            conversationId === null ? (
              "None"
            ) : (
              <Link href={`/conversations/${conversationId}`}>Open conversation</Link>
            ),
          Decision: decisionId !== null && (
            <Link href={`/decisions/${decisionId}`}>
              {direction === "inbound" ? "View decision" : "Why the agent sent it"}
            </Link>
          ),
          Topic: message.topic,
          "Sent again": resentAs !== null && <Link href={`/messages/${resentAs}`}>As another message</Link>,
          Accepted: time(message.createdAt),
          Reviewed: time(message.reviewedAt),
          [direction === "inbound" ? "Written" : "Sent"]: time(message.sentAt),
          Delivered: time(message.deliveredAt),
          Read: time(message.readAt),
          Expires: (isWaiting(message.status) || message.status === "proposed") && time(message.expiresAt),
          "Provider ID": providerId === null ? undefined : <code>{providerId}</code>,
          ID: <code>{message.id}</code>,
        }}
      />
    </Card>
  );
};
