import { Button, NativeSelect, TextInput } from "@mantine/core";
import type { MembersQuery } from "../api/documents.generated";
import styles from "../ui/filters.module.css";
import type { ListAddress } from "../ui/list-address";
import { PERIODS } from "./period";
import { ACTION_LABELS } from "./sentence";

/** The filters by their names in the address. */
export const FILTERS = ["period", "from", "to", "action", "actor", "target"] as const;

/** Which entries are shown. @param subject what the first entry is about, for the filter by subject */
export function AuditFilters(props: {
  address: ListAddress;
  members: MembersQuery["members"] | undefined;
  subject: string | undefined;
}) {
  const { address, members = [] } = props;
  const field = (name: (typeof FILTERS)[number]) => ({
    value: address.get(name),
    onChange: (event: { currentTarget: { value: string } }) =>
      address.filter({ [name]: event.currentTarget.value }),
  });
  const narrowed = FILTERS.some((name) => address.get(name) !== "");

  return (
    <search className={styles.filters}>
      <NativeSelect
        label="What"
        data={[{ value: "", label: "Everything" }, ...ACTION_LABELS]}
        {...field("action")}
        value={address.oneOf("action", ACTION_LABELS)}
      />
      <NativeSelect
        label="Who"
        data={[
          { value: "", label: "Everybody" },
          ...members.map(({ id, email }) => ({ value: id, label: email })),
        ]}
        {...field("actor")}
      />
      <NativeSelect label="When" data={PERIODS} {...field("period")} />
      {address.get("period") === "dates" && (
        <>
          <TextInput type="date" label="From" max={address.get("to") || "9999-12-30"} {...field("from")} />
          <TextInput type="date" label="To" min={address.get("from")} max="9999-12-30" {...field("to")} />
        </>
      )}
      {narrowed && (
        <Button
          variant="subtle"
          onClick={() => address.filter(Object.fromEntries(FILTERS.map((name) => [name, ""])))}
        >
          Clear
        </Button>
      )}
      {address.get("target") !== "" && (
        <p className={styles.only}>
          Only what was done to <strong>{props.subject ?? address.get("target")}</strong>.
        </p>
      )}
    </search>
  );
}
