// One file, because the tabs, filters, rows and the empty list all depend on the selected tab.

import { Button } from "@mantine/core";
import { Link } from "wouter";
import { TERM_MAX_LENGTH } from "../../features/contacts/contact.limits";
import { usePolledQuery } from "../api/client";
import { type Names, useMembers } from "../members/use-members";
import { AUTHORS } from "../messages/message-state";
import { Preview } from "../messages/preview";
import type { ShownAgents } from "../parts/all-agents-page";
import { nameOfPartner } from "../parts/contact-label";
import { ConversationTag } from "../parts/conversation-tag";
import { LineFilter } from "../parts/line-filter";
import { NoneYet } from "../parts/none-yet";
import { useViewer } from "../session/session";
import { Copyable } from "../ui/copyable";
import { FilterChip } from "../ui/filter-chip";
import { FilterSelect } from "../ui/filter-select";
import { Filters } from "../ui/filters";
import filterStyles from "../ui/filters.module.css";
import { formatCount, Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { Name } from "../ui/name";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { SearchFilter } from "../ui/search";
import { columnsOf } from "../ui/table";
import styles from "./conversation-list.module.css";
import { ConversationsDocument, type ConversationsQuery } from "./documents.generated";

/** The tabs of the list; the first one is the default. */
const TABS = [
  { value: "waiting", label: "Needs reply" },
  { value: "open", label: "Open" },
  { value: "closed", label: "Closed" },
  { value: "all", label: "All" },
] as const;

const HANDLER_OPTIONS = [
  { value: "agent", label: "Agent" },
  { value: "human", label: "Human" },
] as const;

type Tab = (typeof TABS)[number]["value"];
type Listed = ConversationsQuery["conversations"]["nodes"][number];

const columns = (tab: Tab) =>
  columnsOf(
    "Contact",
    "Last message",
    "Line",
    "Status",
    tab === "waiting" ? "Waiting since" : "Last activity",
  );

const FILTERS = ["search", "handler", "assignee", "line", "contact"];

/** The filter for unassigned conversations, in place of a member's ID. */
const UNASSIGNED = { value: "unassigned", label: "Unassigned" };

/**
 * Conversations by state, with filters. Conversations that need a reply are sorted by waiting time, longest
 * first; all others by last activity, latest first.
 */
export function ConversationList(props: Omit<ShownAgents, "shown"> & { onOpen: () => void }) {
  const { agentId } = props;
  const address = useListAddress();
  const tab = address.oneOf("state", TABS) || TABS[0].value;
  const assignee = address.get("assignee");
  const isUnassigned = assignee === UNASSIGNED.value;
  const query = usePolledQuery(
    ConversationsDocument,
    {
      agentId,
      first: PAGE_SIZE,
      after: address.after,
      state: tab === "open" || tab === "closed" ? tab : null,
      needsReply: tab === "waiting" || null,
      handler: (tab !== "waiting" && address.oneOf("handler", HANDLER_OPTIONS)) || null,
      assigneeId: isUnassigned ? null : assignee || null,
      assigned: isUnassigned ? false : null,
      contactId: address.get("contact") || null,
      line: address.get("line") ? { name: address.get("line") } : null,
      search: address.get("search").slice(0, TERM_MAX_LENGTH) || null,
      order: tab === "waiting" ? "longest_waiting_first" : "last_activity_first",
    },
    // Slower than the default, because changes within a conversation appear on its own page.
    { pollMs: 15_000 },
  );
  const { nameOf } = useMembers();
  const connection = query.data?.conversations;
  const [first] = connection?.nodes ?? [];
  return (
    <div className={pageStyles.card}>
      <Tabs tab={tab} counts={query.data} />
      <ConversationFilters
        agentId={props.onlyAgentId}
        tab={tab}
        contactName={first === undefined ? "…" : nameOfPartner(first)}
      />
      <List
        label="Conversations"
        columns={columns(tab)}
        query={query}
        connection={connection}
        filters={FILTERS}
        empty={<Nothing tab={tab} agentId={agentId} onOpen={props.onOpen} />}
        cells={(conversation) => [
          <Contact key="contact" conversation={conversation} />,
          conversation.lastMessage && (
            <LastMessage key="message" message={conversation.lastMessage} nameOf={nameOf} />
          ),
          <div key="line">
            <Name>{conversation.lineName}</Name>
            {props.severalAgents && (
              <p className={pageStyles.second}>
                <Name>{conversation.agent.name}</Name>
              </p>
            )}
          </div>,
          <State key="state" conversation={conversation} nameOf={nameOf} />,
          <Time
            key="time"
            value={(tab === "waiting" ? conversation.waitingSince : null) ?? conversation.updatedAt}
          />,
        ]}
      />
    </div>
  );
}

function Contact({ conversation }: { conversation: Listed }) {
  const { id, address } = conversation;
  const name = nameOfPartner(conversation);
  return (
    <div>
      <RowLink href={`/conversations/${id}`}>{name}</RowLink>
      {address !== null && address !== name && (
        <p className={pageStyles.second}>
          <Copyable>
            <Name>{address}</Name>
          </Copyable>
        </p>
      )}
    </div>
  );
}

function LastMessage(props: { message: NonNullable<Listed["lastMessage"]>; nameOf: Names["nameOf"] }) {
  const { message, nameOf } = props;
  const { author, memberId, preview } = message;
  return (
    <div className={styles.last}>
      <span>
        <Name>{memberId === null ? AUTHORS[author] : nameOf(memberId)}</Name>
      </span>
      <Preview text={preview} />
    </div>
  );
}

function State({ conversation, nameOf }: { conversation: Listed; nameOf: Names["nameOf"] }) {
  const { id: viewerId } = useViewer();
  const { state, handler, handoff, assigneeId } = conversation;
  return (
    <div>
      <ConversationTag state={state} handler={handler} />
      {handoff?.reason != null && (
        <p className={pageStyles.second}>
          <Name>{handoff.reason}</Name>
        </p>
      )}
      {assigneeId !== null && (
        <p className={pageStyles.second}>
          <Name>{`Assigned to ${assigneeId === viewerId ? "you" : nameOf(assigneeId)}`}</Name>
        </p>
      )}
    </div>
  );
}

/** The tabs for conversations by state, with counts and the start of the longest wait. */
function Tabs({ tab, counts }: { tab: Tab; counts: ConversationsQuery | undefined }) {
  const address = useListAddress();
  const oldest = counts?.waiting.nodes[0]?.waitingSince;
  return (
    <nav className={styles.tabs} aria-label="Conversations by state">
      <ul>
        {TABS.map(({ value, label }) => {
          const list = value === "all" ? undefined : counts?.[value];
          return (
            <li key={value}>
              <Link
                href={address.hrefOf("/conversations", { state: value === TABS[0].value ? "" : value })}
                aria-current={value === tab ? "page" : undefined}
              >
                {label}
                {value !== "all" && (
                  <span>{list ? formatCount(list.totalCount, list.isTotalCountExact) : "…"}</span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      {oldest && (
        <p>
          Oldest unanswered: <Time value={oldest} />
        </p>
      )}
    </nav>
  );
}

function Nothing({ tab, agentId, onOpen }: { tab: Tab; agentId: string | null; onOpen: () => void }) {
  const { may, deactivated } = useViewer();
  if (tab === "waiting") {
    return (
      <Empty title="No conversations need a reply">
        <p>
          Conversations appear here when an agent or your team hands them off, and when a contact writes again
          before they are released.
        </p>
      </Empty>
    );
  }
  return (
    <NoneYet of={tab === "closed" ? "closed conversations" : "conversations"} agentId={agentId}>
      <p>
        A conversation starts when a contact writes to a line, or when you, the agent or your system writes to
        a contact.
      </p>
      {may("conversations_write") && (
        <Button size="xs" disabled={deactivated} onClick={onOpen}>
          Start a conversation
        </Button>
      )}
    </NoneYet>
  );
}

function ConversationFilters(props: { agentId: string | null; tab: Tab; contactName: string }) {
  const { agentId, tab } = props;
  const address = useListAddress();
  const { readers, nameOf } = useMembers();
  return (
    <Filters
      names={["handler", "assignee", "line"]}
      search={
        <SearchFilter
          name="search"
          label="Search by name, address or text"
          maxLength={TERM_MAX_LENGTH}
          className={filterStyles.wide}
        />
      }
    >
      {tab !== "waiting" && (
        <FilterSelect name="handler" label="Answered by" all="Anyone" options={HANDLER_OPTIONS} />
      )}
      <FilterSelect
        name="assignee"
        label="Assigned to"
        all="Anyone"
        options={[UNASSIGNED, ...readers]}
        labelOf={nameOf}
      />
      <LineFilter agentId={agentId} by="name" name={address.get("line")} />
      <FilterChip name="contact" label="Contact" value={props.contactName} />
    </Filters>
  );
}
