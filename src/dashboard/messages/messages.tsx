import { useMemo } from "react";
import { AllAgentsPage } from "../agents/all-agents-page";
import { usePolledQuery } from "../api/client";
import { FilterChip } from "../ui/filter-chip";
import { FilterSelect } from "../ui/filter-select";
import filterStyles from "../ui/filters.module.css";
import { Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { Name } from "../ui/name";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { LAST_DAYS, periodOf } from "../ui/period";
import { RowLink } from "../ui/row-link";
import { columnsOf } from "../ui/table";
import { MessagesDocument } from "./documents.generated";
import { AUTHORS, STATUS_FILTERS, StateReason, StatusTag } from "./message-state";
import styles from "./messages.module.css";
import { Preview } from "./preview";

const COLUMNS = columnsOf("Message", "From", "Status", "When");

/** Inbox → Messages: the messages in all conversations of one agent or all agents, by status. */
export const Messages = () => (
  <AllAgentsPage
    section="Inbox"
    title="Messages"
    lead="Every message to and from your contacts, and its delivery status."
    dropped={["line"]}
  >
    {({ agentId, shown }) => <MessageList agentId={agentId} severalAgents={shown.length > 1} />}
  </AllAgentsPage>
);

const FILTERS = ["status", "period", "line"];

function MessageList({ agentId, severalAgents }: { agentId: string | null; severalAgents: boolean }) {
  const address = useListAddress();
  const status = STATUS_FILTERS.find(({ value }) => value === address.get("status"));
  const period = address.oneOf("period", LAST_DAYS);
  // Memoized so that the start of the period does not move with each render.
  const { since } = useMemo(() => periodOf(period, "", ""), [period]);
  const query = usePolledQuery(
    MessagesDocument,
    {
      agentId,
      first: PAGE_SIZE,
      after: address.after,
      statuses: status?.statuses ?? null,
      held: status?.held ?? null,
      lineId: address.get("line") || null,
      since,
    },
    { pollMs: 15_000 },
  );
  return (
    <div className={pageStyles.card}>
      <search className={filterStyles.filters}>
        <FilterSelect
          address={address}
          name="status"
          label="Status"
          all="All statuses"
          options={STATUS_FILTERS}
        />
        <FilterSelect address={address} name="period" label="Date" all="All time" options={LAST_DAYS} />
        <FilterChip address={address} name="line" label="One line" />
      </search>
      <List
        label="Messages"
        columns={COLUMNS}
        address={address}
        query={query}
        connection={query.data?.messages}
        filters={FILTERS}
        empty={
          <Empty title="No messages yet">
            <p>Messages appear here as soon as your agent, your system, your team or a contact sends one.</p>
          </Empty>
        }
        cells={({ id, agent, preview, author, createdAt, ...state }) => [
          <RowLink key="message" href={`/messages/${id}`}>
            <Preview text={preview} />
          </RowLink>,
          <div key="from">
            {AUTHORS[author]}
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
