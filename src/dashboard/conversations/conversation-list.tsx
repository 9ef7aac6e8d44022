import { Button } from "@mantine/core";
import { usePolledQuery } from "../api/client";
import { useContactNames } from "../contacts/contact-label";
import { useMembers } from "../members/use-members";
import { AUTHORS } from "../messages/message-state";
import { Preview } from "../messages/preview";
import { useViewer } from "../session/session";
import { FilterChip } from "../ui/filter-chip";
import { FilterSelect } from "../ui/filter-select";
import filterStyles from "../ui/filters.module.css";
import { Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { type ListAddress, useListAddress } from "../ui/list-address";
import { Name } from "../ui/name";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { columnsOf } from "../ui/table";
import styles from "./conversation-list.module.css";
import { ConversationTag, HANDLER_OPTIONS, STATE_OPTIONS } from "./conversation-state";
import { ConversationsDocument, LineNamesDocument } from "./documents.generated";

/** Polling interval (ms): changes within a conversation appear on its own page. */
const INBOX_POLL_MS = 15_000;

const COLUMNS = columnsOf("Contact", "Last message", "Line", "Status", "Last activity");

/** The filter for unassigned conversations, in place of a member's ID. */
const NOBODY = { value: "nobody", label: "Nobody" };

/** An agent's conversations, latest activity first, with filters. */
export function ConversationList({ agentId, onOpen }: { agentId: string; onOpen: () => void }) {
  const address = useListAddress();
  const { id: viewerId, may } = useViewer();
  const assignee = address.get("assignee");
  const isUnassigned = assignee === NOBODY.value;
  const query = usePolledQuery(
    ConversationsDocument,
    {
      agentId,
      first: PAGE_SIZE,
      after: address.after,
      state: address.oneOf("state", STATE_OPTIONS) || null,
      handler: address.oneOf("handler", HANDLER_OPTIONS) || null,
      assigneeId: isUnassigned ? null : assignee || null,
      assigned: isUnassigned ? false : null,
      contactId: address.get("contact") || null,
      line: address.get("line") ? { name: address.get("line") } : null,
    },
    { pollMs: INBOX_POLL_MS },
  );
  const connection = query.data?.conversations;
  const contact = address.get("contact") || null;
  const { nameOf: nameOfMember } = useMembers();
  const nameOf = useContactNames(agentId, [
    contact,
    ...(connection?.nodes.map(({ contactId }) => contactId) ?? []),
  ]);
  return (
    <div className={pageStyles.card}>
      <Filters address={address} agentId={agentId} contactName={nameOf(contact)} />
      <List
        label="Conversations"
        columns={COLUMNS}
        address={address}
        query={query}
        connection={connection}
        filters={["state", "handler", "assignee", "line", "contact"]}
        empty={
          <Empty title="No conversations yet">
            <p>
              A conversation starts when a contact writes on a line, or when you, the agent or your system
              writes to a contact.
            </p>
            {may("conversations_write") && (
              <Button size="xs" onClick={onOpen}>
                Start a conversation
              </Button>
            )}
          </Empty>
        }
        cells={({
          id,
          contactId,
          address: at,
          lineName,
          state,
          handler,
          assigneeId,
          updatedAt,
          lastMessage,
        }) => [
          <div key="contact">
            <RowLink href={`/conversations/${id}`}>{nameOf(contactId)}</RowLink>
            {at !== null && at !== nameOf(contactId) && (
              <p className={pageStyles.second}>
                <Name>{at}</Name>
              </p>
            )}
          </div>,
          lastMessage && (
            <div key="message" className={styles.last}>
              <span>{AUTHORS[lastMessage.author]}</span>
              <Preview text={lastMessage.preview} />
            </div>
          ),
          lineName,
          <div key="state">
            <ConversationTag state={state} handler={handler} />
            {assigneeId !== null && (
              <p className={pageStyles.second}>
                <Name>{`Assigned to ${assigneeId === viewerId ? "you" : nameOfMember(assigneeId)}`}</Name>
              </p>
            )}
          </div>,
          <Time key="time" value={updatedAt} />,
        ]}
      />
    </div>
  );
}

function Filters(props: { address: ListAddress; agentId: string; contactName: string }) {
  const { address, agentId } = props;
  const { manages } = useViewer();
  const { readers, nameOf } = useMembers();
  const assignee = address.get("assignee");
  const assignees = [NOBODY, ...readers];
  const isListed = assignee === "" || assignees.some(({ value }) => value === assignee);
  const lines = usePolledQuery(LineNamesDocument, { agentId }, { enabled: manages, pollMs: 60_000 }).data
    ?.lines;
  // Shows the filter before its options are loaded, so that nothing moves when they arrive.
  const names = lines?.map(({ name }) => name) ?? [address.get("line")].filter((name) => name !== "");
  return (
    <search className={filterStyles.filters}>
      <FilterSelect
        address={address}
        name="state"
        label="Status"
        all="All statuses"
        options={STATE_OPTIONS}
      />
      <FilterSelect
        address={address}
        name="handler"
        label="Answered by"
        all="Anyone"
        options={HANDLER_OPTIONS}
      />
      <FilterSelect
        address={address}
        name="assignee"
        label="Assigned to"
        all="Anyone"
        options={isListed ? assignees : [...assignees, { value: assignee, label: nameOf(assignee) }]}
      />
      {manages && (
        <FilterSelect
          address={address}
          name="line"
          label="Line"
          all="All lines"
          options={names.map((name) => ({ value: name, label: name }))}
        />
      )}
      <FilterChip address={address} name="contact" label="Contact" value={props.contactName} />
    </search>
  );
}
