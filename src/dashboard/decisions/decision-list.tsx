import { usePolledQuery } from "../api/client";
import { useContactNames } from "../contacts/contact-label";
import { useViewer } from "../session/session";
import { FilterChip } from "../ui/filter-chip";
import { FilterSelect } from "../ui/filter-select";
import filterStyles from "../ui/filters.module.css";
import { Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { Empty } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { Snippet } from "../ui/snippet";
import type { Column } from "../ui/table";
import { DecisionsDocument } from "./documents.generated";
import { OUTCOME_OPTIONS, OutcomeTag, WITH_FAILURES } from "./words";

const FILTER_OPTIONS = [...OUTCOME_OPTIONS, WITH_FAILURES];

const COLUMNS: readonly Column[] = [
  { heading: "Situation" },
  { heading: "Contact" },
  { heading: "Outcome" },
  { heading: "Rule" },
  { heading: "Version" },
  { heading: "When" },
];

/** An agent's decisions, newest first, with filters. */
export function DecisionList({ agentId }: { agentId: string }) {
  const address = useListAddress();
  const contact = address.get("contact") || null;
  const outcome = address.oneOf("outcome", FILTER_OPTIONS);
  const query = usePolledQuery(
    DecisionsDocument,
    {
      agentId,
      first: PAGE_SIZE,
      after: address.after,
      outcome: outcome === WITH_FAILURES.value ? null : outcome || null,
      hasFailures: outcome === WITH_FAILURES.value || null,
      conversationId: address.get("conversation") || null,
      contactId: contact,
    },
    { pollMs: 15_000 },
  );
  const connection = query.data?.decisions;
  const nameOf = useContactNames(agentId, [
    contact,
    ...(connection?.nodes.map(({ contactId }) => contactId) ?? []),
  ]);
  return (
    <div className={pageStyles.card}>
      <search className={filterStyles.filters}>
        <FilterSelect
          address={address}
          name="outcome"
          label="Outcome"
          all="All outcomes"
          options={FILTER_OPTIONS}
        />
        <FilterChip address={address} name="contact" label="Contact" value={nameOf(contact)} />
        <FilterChip address={address} name="conversation" label="One conversation" />
      </search>
      <List
        label="Decisions"
        columns={COLUMNS}
        address={address}
        query={query}
        connection={connection && { ...connection, nodes: connection.nodes.flatMap(withId) }}
        filters={["outcome", "contact", "conversation"]}
        empty={<NoDecisions />}
        cells={({ id, situation, contactId, ruleId, configurationVersion, createdAt, ...decision }) => [
          <RowLink key="situation" href={`/decisions/${id}`}>
            {situation.type}
          </RowLink>,
          nameOf(contactId),
          <OutcomeTag key="outcome" {...decision} />,
          ruleId === null ? <i key="rule">none</i> : ruleId,
          configurationVersion,
          <Time key="time" value={createdAt} />,
        ]}
      />
    </div>
  );
}

/** Only dry runs have no ID, and lists do not contain them. */
const withId = <Node extends { id: string | null }>(node: Node) =>
  node.id === null ? [] : [{ ...node, id: node.id }];

const EXAMPLE = `curl ${location.origin}/agent/decisions \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"situation":{"type":"order.shipped","data":{"orderId":"A1"}},"contact":{"address":{"kind":"local","address":"anna"}}}'`;

function NoDecisions() {
  const { manages } = useViewer();
  return (
    <Empty title="No decisions yet">
      <p>
        Your agent makes a decision when a contact writes, or when your system reports what happened.
        {manages && " Try it in a terminal (first: export KEY=<your API key>):"}
      </p>
      {manages && <Snippet text={EXAMPLE} what="the request" />}
    </Empty>
  );
}
