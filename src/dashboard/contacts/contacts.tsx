import { Button, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { usePolledQuery } from "../api/client";
import { AgentPage } from "../parts/agent-page";
import { labelOfContact } from "../parts/contact-label";
import { NoneYet } from "../parts/none-yet";
import { useViewer } from "../session/session";
import { Copyable } from "../ui/copyable";
import { FilterChip } from "../ui/filter-chip";
import { Filters } from "../ui/filters";
import filterStyles from "../ui/filters.module.css";
import { Time } from "../ui/format";
import { Icon } from "../ui/icon";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Name } from "../ui/name";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { SearchFilter } from "../ui/search";
import { columnsOf } from "../ui/table";
import { Tag } from "../ui/tag";
import styles from "./contacts.module.css";
import { AgentsWithContactsDocument, ContactsDocument } from "./documents.generated";

const COLUMNS = columnsOf("Contact", "Addresses", "Tags", "Changed");

/** Max length of a search (characters). */
const SEARCH_MAX_LENGTH = 255;
/** Max addresses and tags shown in a row; the contact's page shows all. */
const SHOWN = 3;

const { component: EditContact } = loaded(async () => (await import("./edit-contact")).EditContact);

/** Inbox → Contacts: find and add people. */
export function Contacts() {
  const { may, deactivated } = useViewer();
  const [adding, setAdding] = useState(false);
  const add = () => setAdding(true);
  return (
    <AgentPage
      section="Inbox"
      title="Contacts"
      lead="The people your agent talks to."
      actions={() =>
        may("conversations_write") && (
          <Button leftSection={<Icon of={IconPlus} size={16} />} disabled={deactivated} onClick={add}>
            Add contact
          </Button>
        )
      }
    >
      {({ id }) => (
        <>
          <ContactList agentId={id} onAdd={add} />
          {adding && <EditContact agentId={id} onClosed={() => setAdding(false)} />}
        </>
      )}
    </AgentPage>
  );
}

function ContactList({ agentId, onAdd }: { agentId: string; onAdd: () => void }) {
  const address = useListAddress();
  const { may, deactivated } = useViewer();
  const query = usePolledQuery(
    ContactsDocument,
    {
      agentId,
      first: PAGE_SIZE,
      after: address.after,
      search: address.get("search").slice(0, SEARCH_MAX_LENGTH) || null,
      tag: tagOf(address.get("tag")) || null,
    },
    { pollMs: 15_000 },
  );
  return (
    <div className={pageStyles.card}>
      <Filters
        names={[]}
        search={
          <SearchFilter
            name="search"
            label="Search contacts"
            maxLength={SEARCH_MAX_LENGTH}
            className={filterStyles.wide}
          />
        }
      >
        <TagFilter />
      </Filters>
      <List
        label="Contacts"
        columns={COLUMNS}
        query={query}
        connection={query.data?.contacts}
        filters={["search", "tag"]}
        empty={
          <NoneYet of="contacts" agentId={agentId} elsewhere={<Elsewhere agentId={agentId} />}>
            <p>
              People become contacts when they write to a line, when your system adds them, or when you add
              them here.
            </p>
            {may("conversations_write") && (
              <Button size="xs" disabled={deactivated} onClick={onAdd}>
                Add your first contact
              </Button>
            )}
          </NoneYet>
        }
        cells={(contact) => [
          <div key="name">
            <RowLink href={`/contacts/${contact.id}`}>{labelOfContact(contact)}</RowLink>
            {contact.ref !== null && contact.name !== null && (
              <p className={pageStyles.second}>
                <Name>{contact.ref}</Name>
              </p>
            )}
          </div>,
          <div key="addresses" className={styles.addresses}>
            {contact.addresses.length === 0 && "–"}
            {contact.addresses.slice(0, SHOWN).map((each) => (
              <Copyable key={each.id}>
                <Name>{each.address}</Name>
              </Copyable>
            ))}
            <More count={contact.addresses.length - SHOWN} />
          </div>,
          <div key="tags" className={styles.tags}>
            {contact.tags.length === 0 && "–"}
            {contact.tags.slice(0, SHOWN).map((tag) => (
              <Tag key={tag} tone="plain">
                {tag}
              </Tag>
            ))}
            <More count={contact.tags.length - SHOWN} />
          </div>,
          <Time key="time" value={contact.updatedAt} />,
        ]}
      />
    </div>
  );
}

/** Max other agents that an empty list links to; the select beside the title has all of them. */
const OTHERS_SHOWN = 5;

/** Links to the contacts of other agents. */
function Elsewhere({ agentId }: { agentId: string }) {
  const { data } = usePolledQuery(AgentsWithContactsDocument, {}, { pollMs: 60_000 });
  const others = (data?.agents ?? [])
    .filter(({ id, contacts }) => id !== agentId && contacts?.nodes.length)
    .slice(0, OTHERS_SHOWN);
  if (others.length === 0) return null;
  return (
    <ul className={styles.elsewhere} aria-label="Contacts of other agents">
      {others.map(({ id, name }) => (
        <li key={id}>
          <Link href={`/contacts?agent=${id}`}>
            Show the contacts of <bdi>{name}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const More = ({ count }: { count: number }) =>
  count > 0 && <span className={pageStyles.second}>{count} more</span>;

/** Returns the tag as accepted by the API; "" if the text is not a tag. */
const tagOf = (text: string): string => {
  const tag = text.trim().toLowerCase();
  return /^[a-z0-9][a-z0-9._:-]{0,49}$/.test(tag) ? tag : "";
};

/** Filters by a tag that the user types in full, because there may be too many tags to list. */
function TagFilter() {
  const address = useListAddress();
  const [text, setText] = useState("");
  const [isInvalid, setInvalid] = useState(false);
  if (address.get("tag") !== "") {
    return <FilterChip name="tag" label="Tag" value={address.get("tag")} />;
  }
  const apply = () => {
    const tag = tagOf(text);
    setInvalid(tag === "" && text.trim() !== "");
    if (tag === "") return;
    address.filter({ tag });
    setText("");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Tag"
        placeholder="vip"
        maxLength={50}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setInvalid(false);
        }}
        onBlur={apply}
        error={isInvalid && "Use letters a–z, digits and ._:-, and start with a letter or digit."}
      />
    </form>
  );
}
