import { Button, CloseButton, TextInput } from "@mantine/core";
import type { Names } from "../members/use-members";
import { FilterSelect } from "../ui/filter-select";
import { Filters } from "../ui/filters";
import styles from "../ui/filters.module.css";
import { timeZone } from "../ui/format";
import { useListAddress } from "../ui/list-address";
import { PERIODS } from "../ui/period";
import { ACTION_LABELS } from "./sentence";

/** The names of the filters in the URL. */
export const FILTERS = ["period", "from", "to", "action", "actor", "target"] as const;

/** @param targetName the name of the first entry's target, which labels the target filter */
export function AuditFilters({ names, targetName }: { names: Names; targetName: string | undefined }) {
  const address = useListAddress();
  const day = (name: "from" | "to") => ({
    value: address.get(name),
    // Replaces the history entry, because a date field can have several valid values while the user is typing.
    onChange: (event: { currentTarget: { value: string } }) =>
      address.filter({ [name]: event.currentTarget.value }, { replace: true }),
  });
  const filtered = FILTERS.some((name) => address.get(name) !== "");

  return (
    <Filters names={["action", "actor", "period"]}>
      <FilterSelect name="action" label="Action" all="All actions" options={ACTION_LABELS} />
      <FilterSelect name="actor" label="Actor" all="Anyone" options={names.everyone} labelOf={names.nameOf} />
      <FilterSelect name="period" label="Date" all="All time" options={PERIODS} />
      {address.get("period") === "dates" && (
        <>
          <TextInput type="date" label="From" max={address.get("to") || "9999-12-30"} {...day("from")} />
          <TextInput type="date" label="To" min={address.get("from")} max="9999-12-30" {...day("to")} />
          <p className={styles.only}>Days are in {timeZone()}.</p>
        </>
      )}
      {filtered && (
        <Button
          variant="subtle"
          onClick={() => address.filter(Object.fromEntries(FILTERS.map((name) => [name, ""])))}
        >
          Clear
        </Button>
      )}
      {address.get("target") !== "" && (
        <p className={styles.only}>
          Target: <strong>{targetName ?? address.get("target")}</strong>{" "}
          <CloseButton
            size="sm"
            aria-label="Clear the target filter"
            onClick={() => address.filter({ target: "" })}
          />
        </p>
      )}
    </Filters>
  );
}
