import {
  NAME_MAX_LENGTH,
  SITUATION_KEY_MAX_LENGTH,
  SITUATION_TYPE_MAX_LENGTH,
} from "../../features/configuration/configuration.limits";
import { TERM_MAX_LENGTH } from "../../features/contacts/contact.limits";
import { usePolledQuery } from "../api/client";
import { AllAgentsPage, type ShownAgents } from "../parts/all-agents-page";
import { nameOfContact } from "../parts/contact-label";
import { NoneYet } from "../parts/none-yet";
import { useViewer } from "../session/session";
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
import { Search, SearchFilter } from "../ui/search";
import { Snippet } from "../ui/snippet";
import { columnsOf } from "../ui/table";
import { DecisionsDocument, type DecisionsQuery } from "./documents.generated";
import { OUTCOME_OPTIONS, OutcomeTag, Reason, WITH_FAILURES } from "./outcome";

const FILTER_OPTIONS = [...OUTCOME_OPTIONS, WITH_FAILURES];

const FILTERS = "search key type rule version outcome period contact conversation".split(" ");

/** Max digits of a version (`versionIn`). */
const VERSION_MAX_DIGITS = 9;

const COLUMNS = columnsOf("Situation", "Contact", "Outcome", "Rule", "Version", "When");

type Listed = DecisionsQuery["decisions"]["nodes"][number];

/** Inbox → Decisions: what the agents decided, and why. */
export const Decisions = () => (
  <AllAgentsPage
    section="Inbox"
    title="Decisions"
    lead="What your agents decided to do, and why. Open a decision to see which rule matched."
    dropped={["rule", "contact", "conversation"]}
  >
    {(agents) => <DecisionList {...agents} />}
  </AllAgentsPage>
);

/** Decisions, newest first, with filters. */
function DecisionList({ agentId, severalAgents }: ShownAgents) {
  const address = useListAddress();
  const outcome = address.oneOf("outcome", FILTER_OPTIONS);
  const key = address.get("key").slice(0, SITUATION_KEY_MAX_LENGTH);
  const type = address.get("type").slice(0, SITUATION_TYPE_MAX_LENGTH);
  const rule = address.get("rule").slice(0, NAME_MAX_LENGTH);
  const version = address.get("version");
  const search = address.get("search").slice(0, TERM_MAX_LENGTH);
  const period = address.oneOf("period", LAST_DAYS);
  const { since } = usePeriod(period);
  const query = usePolledQuery(
    DecisionsDocument,
    {
      agentId,
      first: PAGE_SIZE,
      after: address.after,
      outcome: outcome === WITH_FAILURES.value ? null : outcome || null,
      hasFailures: outcome === WITH_FAILURES.value || null,
      conversationId: address.get("conversation") || null,
      contactId: address.get("contact") || null,
      key: key || null,
      type: type || null,
      ruleId: rule || null,
      version: versionIn(version),
      search: search || null,
      since,
    },
    { pollMs: 15_000 },
  );
  const connection = query.data?.decisions;
  const [first] = connection?.nodes ?? [];
  return (
    <div className={pageStyles.card}>
      <Filters
        names={["key", "type", "rule", "version", "outcome", "period"]}
        search={
          <SearchFilter
            name="search"
            label="Search contacts"
            maxLength={TERM_MAX_LENGTH}
            className={filterStyles.wide}
          />
        }
      >
        <SearchFilter name="key" label="Key (order ID)" maxLength={SITUATION_KEY_MAX_LENGTH} />
        <SearchFilter name="type" label="Situation type" maxLength={SITUATION_TYPE_MAX_LENGTH} />
        <SearchFilter name="rule" label="Rule" maxLength={NAME_MAX_LENGTH} />
        <Search
          label="Version"
          maxLength={VERSION_MAX_DIGITS}
          value={version}
          onSearch={(typed) => address.filter({ version: typed.replace(/\D/g, "") }, { replace: true })}
        />
        <FilterSelect name="outcome" label="Outcome" all="All outcomes" options={FILTER_OPTIONS} />
        <FilterSelect name="period" label="Date" all="All time" options={LAST_DAYS} />
        <FilterChip name="contact" label="Contact" value={first === undefined ? "…" : nameOf(first)} />
        <FilterChip name="conversation" label="One conversation" />
      </Filters>
      <List
        label="Decisions"
        columns={COLUMNS}
        query={query}
        connection={connection && { ...connection, nodes: connection.nodes.flatMap(withId) }}
        filters={FILTERS}
        empty={<NoDecisions agentId={agentId} />}
        cells={({
          id,
          situation,
          situationKey,
          dataPreview,
          contactId,
          contact,
          agent,
          ruleId,
          reason,
          configurationVersion,
          createdAt,
          ...decision
        }) => [
          <div key="situation">
            <RowLink href={`/decisions/${id}`}>
              {situation.type}
              {situationKey !== null && (
                <>
                  {" "}
                  <bdi>{situationKey}</bdi>
                </>
              )}
            </RowLink>
            {dataPreview !== "" && (
              <p className={pageStyles.second}>
                <Name>{dataPreview}</Name>
              </p>
            )}
          </div>,
          <div key="contact">
            <Copyable>
              <Name>{nameOf({ contactId, contact })}</Name>
            </Copyable>
            {severalAgents && (
              <p className={pageStyles.second}>
                <Name>{agent.name}</Name>
              </p>
            )}
          </div>,
          <OutcomeTag key="outcome" {...decision} />,
          <div key="rule">
            {ruleId === null ? <i>none</i> : <Name>{ruleId}</Name>}
            {reason !== null && <Reason ruleId={ruleId} reason={reason} />}
          </div>,
          configurationVersion,
          <Time key="time" value={createdAt} />,
        ]}
      />
    </div>
  );
}

const nameOf = ({ contactId, contact }: Pick<Listed, "contactId" | "contact">): string =>
  contactId === null ? "–" : nameOfContact(contact);

/** Returns the version in the URL; null if there is none. GraphQL would reject numbers outside the range of Int. */
const versionIn = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null);

/** Only dry runs have no ID, and lists never contain them. */
const withId = <Node extends { id: string | null }>(node: Node) =>
  node.id === null ? [] : [{ ...node, id: node.id }];

const EXAMPLE = `curl ${location.origin}/agent/decisions \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"situation":{"type":"order.shipped","data":{"orderId":"A1"}},"contact":{"address":{"kind":"local","address":"anna"}}}'`;

function NoDecisions({ agentId }: { agentId: string | null }) {
  const { manages } = useViewer();
  return (
    <NoneYet of="decisions" agentId={agentId}>
      <p>
        Your agent makes a decision when a contact writes, or when your system reports what happened.
        {manages && " Try it in a terminal (first: export KEY=<your API key>):"}
      </p>
      {manages && <Snippet text={EXAMPLE} what="the request" />}
    </NoneYet>
  );
}
