import { AgentPage } from "../agents/agent-page";
import { usePolledQuery } from "../api/client";
import { FilterSelect } from "../ui/filter-select";
import filterStyles from "../ui/filters.module.css";
import { Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { columnsOf } from "../ui/table";
import { MessagesDocument } from "./documents.generated";
import { AUTHORS, STATUS_OPTIONS, StateReason, StatusTag } from "./message-state";
import styles from "./messages.module.css";
import { Preview } from "./preview";

const COLUMNS = columnsOf("Message", "From", "Status", "When");

/** Inbox → Messages: the messages of all conversations, by status. */
export const Messages = () => (
  <AgentPage
    section="Inbox"
    title="Messages"
    lead="Every message to and from your contacts, and its delivery status."
  >
    {({ id }) => <MessageList agentId={id} />}
  </AgentPage>
);

function MessageList({ agentId }: { agentId: string }) {
  const address = useListAddress();
  const status = address.oneOf("status", STATUS_OPTIONS) || null;
  const query = usePolledQuery(
    MessagesDocument,
    { agentId, first: PAGE_SIZE, after: address.after, status },
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
          options={STATUS_OPTIONS}
        />
      </search>
      <List
        label="Messages"
        columns={COLUMNS}
        address={address}
        query={query}
        connection={query.data?.messages}
        filters={["status"]}
        empty={
          <Empty title="No messages yet">
            <p>Messages appear here as soon as your agent, your system, your team or a contact sends one.</p>
          </Empty>
        }
        cells={({ id, preview, author, createdAt, ...state }) => [
          <RowLink key="message" href={`/messages/${id}`}>
            <Preview text={preview} />
          </RowLink>,
          AUTHORS[author],
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
