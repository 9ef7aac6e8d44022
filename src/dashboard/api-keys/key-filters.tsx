import { NativeSelect } from "@mantine/core";
import type { AgentsQuery } from "../api/documents.generated";
import styles from "../ui/filters.module.css";
import type { ListAddress } from "../ui/list-address";
import { Search } from "../ui/search";

/** As long as the gateway lets a search be. */
const SEARCH_MAX = 100;

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
        value={address.get("search")}
        onSearch={(search) => address.filter({ search }, { replace: true })}
      />
      <NativeSelect
        label="State"
        value={address.get("state")}
        onChange={(event) => address.filter({ state: event.currentTarget.value })}
        data={[
          { value: "", label: "All states" },
          { value: "active", label: "Active" },
          { value: "expired", label: "Expired" },
          { value: "revoked", label: "Revoked" },
        ]}
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
