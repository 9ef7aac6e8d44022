import { NativeSelect } from "@mantine/core";
import type { AgentsQuery, ApiKeyState } from "../api/documents.generated";
import styles from "../ui/filters.module.css";
import type { ListAddress } from "../ui/list-address";
import { Search } from "../ui/search";

/** As long as the gateway lets a search be. */
const SEARCH_MAX = 100;

const STATES: readonly { value: ApiKeyState; label: string }[] = [
  { value: "active", label: "Active" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
];

/** The filters that the address asks for, null for none. */
export const keyFilterOf = (address: ListAddress) => ({
  search: address.get("search").slice(0, SEARCH_MAX) || null,
  agentId: address.get("agent") || null,
  state: address.oneOf("state", STATES) || null,
});

/** Which keys are shown. */
export function KeyFilters({
  address,
  agents = [],
}: {
  address: ListAddress;
  agents?: AgentsQuery["agents"];
}) {
  return (
    <search className={styles.filters}>
      <Search
        className={styles.wide}
        label="Search by name or hint"
        maxLength={SEARCH_MAX}
        value={address.get("search").slice(0, SEARCH_MAX)}
        onSearch={(search) => address.filter({ search }, { replace: true })}
      />
      <NativeSelect
        label="State"
        value={address.oneOf("state", STATES)}
        onChange={(event) => address.filter({ state: event.currentTarget.value })}
        data={[{ value: "", label: "All states" }, ...STATES]}
      />
      <NativeSelect
        label="Agent"
        value={address.get("agent")}
        onChange={(event) => address.filter({ agent: event.currentTarget.value })}
        data={[
          { value: "", label: "All agents" },
          ...agents.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </search>
  );
}
