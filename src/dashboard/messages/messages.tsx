import { TERM_MAX_LENGTH } from "../../features/contacts/contact.limits";
import { usePolledQuery } from "../api/client";
import { useMembers } from "../members/use-members";
import { AllAgentsPage, type ShownAgents } from "../parts/all-agents-page";
import { nameOfPartner, type Partner } from "../parts/contact-label";
import { LineFilter } from "../parts/line-filter";
import { NoneYet } from "../parts/none-yet";
import { Copyable } from "../ui/copyable";
import { FilterChip } from "../ui/filter-chip";
import { FilterSelect } from "../ui/filter-select";
import { Filters } from "../ui/filters";
import filterStyles from "../ui/filters.module.css";
import { Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { Name } from "../ui/name";
import pageStyles from "../ui/page.module.css";
import { LAST_DAYS, usePeriod } from "../ui/period";
import { RowLink } from "../ui/row-link";
import { SearchFilter } from "../ui/search";
import { columnsOf } from "../ui/table";
import { MessagesDocument } from "./documents.generated";
import { AUTHORS, STATUS_FILTERS, StateReason, StatusTag } from "./message-state";
import styles from "./messages.module.css";
import { Preview } from "./preview";

const COLUMNS = columnsOf("Message", "Contact", "Line", "Status", "When");

/** Inbox → Messages: the messages in all conversations of one agent or all agents, by contact, status, line and date. */
export const Messages = () => (
  <AllAgentsPage
    section="Inbox"
    title="Messages"
    lead="Every message to and from your contacts, and its delivery status."
    dropped={["line", "contact"]}
  >
    {(agents) => <MessageList {...agents} />}
  </AllAgentsPage>
);

const FILTERS = ["search", "status", "period", "line", "contact"];

function MessageList({ agentId, onlyAgentId, severalAgents }: ShownAgents) {
  const address = useListAddress();
  const status = STATUS_FILTERS.find(({ value }) => value === address.get("status"));
  const period = address.oneOf("period", LAST_DAYS);
  const { since } = usePeriod(period);
  const query = usePolledQuery(
    MessagesDocument,
    {
      agentId,
      first: PAGE_SIZE,
      after: address.after,
      statuses: status?.statuses ?? null,
      held: status?.held ?? null,
      lineId: address.get("line") || null,
      contactId: address.get("contact") || null,
      search: address.get("search").slice(0, TERM_MAX_LENGTH) || null,
      since,
    },
    { pollMs: 15_000 },
  );
  const { nameOf } = useMembers();
  const [first] = query.data?.messages.nodes ?? [];
  return (
    <div className={pageStyles.card}>
      <Filters
        names={["status", "period", "line"]}
        search={
          <SearchFilter
            name="search"
            label="Search contacts"
            maxLength={TERM_MAX_LENGTH}
            className={filterStyles.wide}
          />
        }
      >
        <FilterSelect name="status" label="Status" all="All statuses" options={STATUS_FILTERS} />
        <FilterSelect name="period" label="Date" all="All time" options={LAST_DAYS} />
        <LineFilter agentId={onlyAgentId} by="id" name={first?.lineName ?? "…"} />
        <FilterChip
          name="contact"
          label="Contact"
          value={first?.conversation ? nameOfPartner(first.conversation) : "…"}
        />
      </Filters>
      <List
        label="Messages"
        columns={COLUMNS}
        query={query}
        connection={query.data?.messages}
        filters={FILTERS}
        empty={
          <NoneYet of="messages" agentId={agentId}>
            <p>Messages appear here as soon as your agent, your system, your team or a contact sends one.</p>
          </NoneYet>
        }
        cells={({ id, agent, preview, author, memberId, conversation, lineName, createdAt, ...state }) => [
          <div key="message" className={styles.listed}>
            <RowLink href={`/messages/${id}`}>
              <Preview text={preview} />
            </RowLink>
            <p className={pageStyles.second}>{memberId === null ? AUTHORS[author] : nameOf(memberId)}</p>
          </div>,
          conversation === null ? "–" : <Contact key="contact" partner={conversation} />,
          <div key="line">
            <Name>{lineName ?? "–"}</Name>
            {severalAgents && (
              <p className={pageStyles.second}>
                <Name>{agent.name}</Name>
              </p>
            )}
          </div>,
          <div key="status" className={styles.state}>
            <StatusTag {...state} />
            <StateReason {...state} />
          </div>,
          <Time key="time" value={createdAt} />,
        ]}
      />
    </div>
  );
}

function Contact({ partner }: { partner: Partner }) {
  const { address } = partner;
  const name = nameOfPartner(partner);
  return (
    <div>
      <Copyable>
        <Name>{name}</Name>
      </Copyable>
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
