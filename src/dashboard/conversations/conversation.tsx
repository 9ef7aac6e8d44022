import { Link, useParams } from "wouter";
import { usePolledQuery } from "../api/client";
import { ContactCard } from "../contacts/contact-card";
import { ContactDocument } from "../contacts/documents.generated";
import { nameOfContact } from "../parts/contact-label";
import { ConversationTag } from "../parts/conversation-tag";
import { LineLink } from "../parts/line-link";
import { Beside } from "../ui/beside";
import { Facts } from "../ui/facts";
import { Time } from "../ui/format";
import { FoundPage } from "../ui/found-page";
import { Card, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Assignee } from "./assignee";
import { Composer } from "./composer";
import { ConversationActions } from "./conversation-actions";
import type { ConversationFragment } from "./documents.generated";
import { Thread } from "./thread";
import { useOpened } from "./use-opened";
import { useThread } from "./use-thread";

const SECTION = <Link href="/conversations">Conversations</Link>;

/** One conversation: its messages, contact and actions. */
export function Conversation() {
  const { id = "" } = useParams<{ id: string }>();
  const thread = useThread(id);
  const { conversation } = thread;
  useOpened(conversation);
  const contact = usePolledQuery(
    ContactDocument,
    { id: conversation?.contactId ?? "" },
    { enabled: conversation != null, pollMs: 60_000 },
  ).data?.contact;
  const name = contact == null ? "…" : nameOfContact(contact);
  return (
    <FoundPage of="conversation" query={thread} item={conversation}>
      {(found) => (
        <Page
          title={contact == null ? "Conversation" : name}
          section={SECTION}
          actions={<ConversationActions key={found.id} conversation={found} />}
        >
          <Beside
            aside={
              <>
                {contact && <ContactCard contact={contact} />}
                <About conversation={found} />
              </>
            }
          >
            <div className={pageStyles.card}>
              <Thread thread={thread} contactName={name} timezone={contact?.timezone ?? null} />
              <Composer
                conversation={found}
                isOptedOut={contact?.addresses.some(
                  ({ address, optedOutAt }) => address === found.address && optedOutAt !== null,
                )}
              />
            </div>
          </Beside>
        </Page>
      )}
    </FoundPage>
  );
}

const About = ({ conversation }: { conversation: ConversationFragment }) => {
  const { id, lineName, address, handoff, waitingSince, releaseAt, createdAt, updatedAt } = conversation;
  return (
    <Card title="Conversation">
      <Facts
        facts={{
          Status: <ConversationTag {...conversation} />,
          "Handed off": handoff !== null && (
            <>
              <Time value={handoff.createdAt} />
              {handoff.reason !== null && (
                <>
                  : <bdi>{handoff.reason}</bdi>
                </>
              )}
            </>
          ),
          "Needs reply since": waitingSince !== null && <Time value={waitingSince} />,
          "Agent answers again": releaseAt !== null && (
            <>
              <Time value={releaseAt} />, unless someone answers first
            </>
          ),
          "Assigned to": <Assignee conversation={conversation} />,
          Agent: <Link href={`/agents/${conversation.agentId}`}>{conversation.agent.name}</Link>,
          Line: <LineLink agentId={conversation.agentId} name={lineName} />,
          Address: address === null ? "Since removed" : <bdi>{address}</bdi>,
          Opened: <Time value={createdAt} />,
          "Last activity": <Time value={updatedAt} />,
          Decisions: (
            <Link href={`/decisions?agent=${conversation.agentId}&conversation=${id}`}>View decisions</Link>
          ),
          ID: <code>{id}</code>,
        }}
      />
    </Card>
  );
};
