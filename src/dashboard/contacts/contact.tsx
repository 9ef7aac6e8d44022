import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "wouter";
import { usePolledQuery } from "../api/client";
import { RecentDecisions } from "../decisions/recent-decisions";
import { labelOfContact } from "../parts/contact-label";
import { ConversationTag } from "../parts/conversation-tag";
import { useViewer } from "../session/session";
import { Beside } from "../ui/beside";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { FoundPage } from "../ui/found-page";
import { Json } from "../ui/json";
import { loaded } from "../ui/loaded";
import { Card, Page } from "../ui/page";
import { RowList } from "../ui/row-list";
import { RowMenu } from "../ui/row-menu";
import { useTask } from "../ui/task";
import { ContactAddresses } from "./contact-addresses";
import { ContactConsents } from "./contact-consents";
import { ContactTags } from "./contact-tags";
import { ContactTimers } from "./contact-timers";
import styles from "./contacts.module.css";
import { ContactConversationsDocument, ContactDocument, type ContactFragment } from "./documents.generated";
import { exportContact } from "./export-contact";

const { component: EditContact } = loaded(async () => (await import("./edit-contact")).EditContact);
const { component: EraseContact } = loaded(async () => (await import("./erase-contact")).EraseContact);
const { component: OpenConversation } = loaded(
  async () => (await import("./open-conversation")).OpenConversation,
);

/** True if a contact can be changed; the API needs a ref or an address to find it. */
const isEditable = ({ ref, addresses, erasedAt }: ContactFragment): boolean =>
  erasedAt === null && (ref !== null || addresses.length > 0);

const SECTION = <Link href="/contacts">Contacts</Link>;

/** One contact: details, addresses, conversations and decisions. */
export function Contact() {
  const { id = "" } = useParams<{ id: string }>();
  const query = usePolledQuery(ContactDocument, { id }, { pollMs: 15_000 });
  return (
    <FoundPage of="contact" query={query} item={query.data?.contact}>
      {(contact) => <ContactPage contact={contact} />}
    </FoundPage>
  );
}

function ContactPage({ contact }: { contact: ContactFragment }) {
  const { id, agentId, erasedAt, addresses, tags } = contact;
  const isErased = erasedAt !== null;
  return (
    <Page
      title={isErased ? "Erased contact" : labelOfContact(contact)}
      section={SECTION}
      actions={!isErased && <Actions contact={contact} />}
    >
      <Beside
        aside={
          !isErased && (
            <>
              <Card title="Addresses">
                <ContactAddresses id={id} addresses={addresses} />
              </Card>
              <ContactConsents id={id} addresses={addresses.length} />
              <Card title="Tags">
                <ContactTags id={id} tags={tags} />
              </Card>
              <ContactTimers id={id} agentId={agentId} />
            </>
          )
        }
      >
        <Details contact={contact} />
        <ContactConversations id={id} agentId={agentId} />
        <RecentDecisions agentId={agentId} contactId={id} />
      </Beside>
    </Page>
  );
}

function Actions({ contact }: { contact: ContactFragment }) {
  const { may, manages, deactivated } = useViewer();
  const [task, setTask] = useState<"edit" | "write" | "erase">();
  const { busy, error, run } = useTask();
  if (!may("conversations_write") && !manages) return null;
  const { id, agentId, addresses } = contact;
  const name = labelOfContact(contact);
  const onClosed = () => setTask(undefined);
  return (
    <>
      {may("conversations_write") && (
        <>
          <Button
            variant="default"
            disabled={deactivated || !isEditable(contact)}
            {...(!isEditable(contact) && { title: "Only contacts with a ref or an address can be edited." })}
            onClick={() => setTask("edit")}
          >
            Edit
          </Button>
          <Button disabled={deactivated || addresses.length === 0} onClick={() => setTask("write")}>
            Message
          </Button>
        </>
      )}
      {manages && (
        <RowMenu
          of={name}
          actions={[
            { label: "Export data", disabled: busy, onClick: () => void run(() => exportContact(id)) },
            {
              label: "Erase contact…",
              isDestructive: true,
              disabled: deactivated,
              onClick: () => setTask("erase"),
            },
          ]}
        />
      )}
      {error !== undefined && <Failure error={error} />}
      {task === "edit" && <EditContact agentId={agentId} contact={contact} onClosed={onClosed} />}
      {task === "write" && <OpenConversation agentId={agentId} contact={{ id, name }} onClosed={onClosed} />}
      {task === "erase" && <EraseContact id={id} name={name} onClosed={onClosed} />}
    </>
  );
}

const Details = ({ contact }: { contact: ContactFragment }) => (
  <Card title="Details">
    <Facts
      facts={{
        ...(contact.erasedAt === null
          ? {
              Name: contact.name === null ? "–" : <bdi>{contact.name}</bdi>,
              Ref: contact.ref === null ? "–" : <code>{contact.ref}</code>,
              Language: contact.locale ?? "–",
              "Time zone": contact.timezone ?? "–",
              ...(contact.handedOffAt !== null && { "With a human": <Time value={contact.handedOffAt} /> }),
              Attributes: <Json label={attributesLabel(contact)} value={contact.attributes} />,
            }
          : { Erased: <Time value={contact.erasedAt} /> }),
        Created: <Time value={contact.createdAt} />,
        Changed: <Time value={contact.updatedAt} />,
        ID: <code>{contact.id}</code>,
      }}
    />
  </Card>
);

const attributesLabel = ({ attributes }: ContactFragment): string => Object.keys(attributes).join(", ");

/** Number of the contact's conversations shown here. */
const SHOWN = 5;

function ContactConversations({ id, agentId }: { id: string; agentId: string }) {
  const { data, error, refetch } = usePolledQuery(
    ContactConversationsDocument,
    { agentId, contactId: id, first: SHOWN },
    { pollMs: 15_000 },
  );
  const list = data?.conversations;
  return (
    <Card
      title="Conversations"
      aside={<Link href={`/messages?agent=${agentId}&contact=${id}`}>View messages</Link>}
    >
      {error !== null && list === undefined ? (
        <Failure error={error} retry={refetch} />
      ) : list?.nodes.length === 0 ? (
        <p className={styles.body}>No conversations yet.</p>
      ) : (
        <RowList
          label="Conversations"
          rows={(list?.nodes ?? []).map((conversation) => ({
            href: `/conversations/${conversation.id}`,
            title: `On ${conversation.lineName}`,
            state: <ConversationTag {...conversation} />,
            time: <Time value={conversation.updatedAt} />,
          }))}
        />
      )}
      {list?.pageInfo.hasNextPage && (
        <p className={styles.foot}>
          <Link href={`/conversations?agent=${agentId}&contact=${id}&state=all`}>View all conversations</Link>
        </p>
      )}
    </Card>
  );
}
