import { EXPIRING_DAYS, SEARCH_MAX_LENGTH } from "../../features/api-keys/api-key.limits";
import { labelOf } from "../parts/agent-label";
import type { AgentsQuery } from "../parts/documents.generated";
import { FilterSelect } from "../ui/filter-select";
import { Filters } from "../ui/filters";
import styles from "../ui/filters.module.css";
import { type ListAddress, useListAddress } from "../ui/list-address";
import { Search } from "../ui/search";
import type { ApiKeysQueryVariables } from "./documents.generated";
import { ORGANIZATION } from "./key-owner";
import { STATE_OPTIONS } from "./key-state";

/** The names of the filters in the URL. */
export const FILTERS = ["search", "state", "agent", "kind", "pasted"];

const KIND_OPTIONS = [
  { value: "key", label: "Keys" },
  { value: "application", label: "Connected applications" },
] as const;

/** Returns the filters in the URL; null if a filter is not set. */
export function keyFilterOf(address: ListAddress) {
  const state = address.oneOf("state", STATE_OPTIONS);
  const kind = address.oneOf("kind", KIND_OPTIONS);
  return {
    search: address.get("search").slice(0, SEARCH_MAX_LENGTH) || null,
    ...ownerFilter(address.get("agent")),
    state: state === "" || state === "expiring" ? null : state,
    expiresWithinDays: state === "expiring" ? EXPIRING_DAYS : null,
    isConnection: kind === "" ? null : kind === "application",
  };
}

/** The value of the agent filter for organization keys. */
export const OF_ORGANIZATION = "organization";

const ownerFilter = (agent: string): Pick<ApiKeysQueryVariables, "agentId" | "kind"> =>
  agent === OF_ORGANIZATION ? { kind: "organization" } : { agentId: agent || null };

/** The list's search and filters. */
export function KeyFilters({ agents = [] }: { agents: AgentsQuery["agents"] | undefined }) {
  const address = useListAddress();
  return (
    <Filters
      names={["state", "agent", "kind"]}
      search={
        <Search
          className={styles.wide}
          label="Search by name or key prefix"
          maxLength={SEARCH_MAX_LENGTH}
          value={address.get("search").slice(0, SEARCH_MAX_LENGTH)}
          onSearch={(search) => address.filter({ search, pasted: "" }, { replace: true })}
          onKey={(search) =>
            address.filter({ search, state: "", agent: "", kind: "", pasted: "yes" }, { replace: true })
          }
        />
      }
    >
      <FilterSelect name="state" label="Status" all="All statuses" options={STATE_OPTIONS} />
      <FilterSelect
        name="agent"
        label="Agent"
        all="All agents"
        options={[
          ...agents.map((agent) => ({ value: agent.id, label: labelOf(agent, agents) })),
          { value: OF_ORGANIZATION, label: ORGANIZATION },
        ]}
        labelOf={() => (agents.length === 0 ? "…" : "A deleted agent")}
      />
      <FilterSelect name="kind" label="Kind" all="All kinds" options={KIND_OPTIONS} />
    </Filters>
  );
}
