import { Checkbox, NativeSelect } from "@mantine/core";
import { type ReactNode, useState } from "react";
import styles from "./webhooks.module.css";

/** Event types declared by the features. */
export const EVENT_TYPES: Readonly<Record<string, { description: string }>> = Object.assign(
  {},
  ...Object.values(import.meta.glob<object>("../../features/*/*.event-types.ts", { eager: true })).flatMap(
    (declared) => Object.values(declared),
  ),
);

/** The field for the event types that an endpoint receives, and the selection: null for all. */
export function useEventTypes(initial: readonly string[] | null): {
  types: string[] | null;
  field: ReactNode;
} {
  const [limited, setLimited] = useState(initial !== null);
  const [chosen, setChosen] = useState<string[]>([...(initial ?? [])]);
  const field = (
    <>
      <NativeSelect
        label="Events"
        description={limited ? undefined : "All types, including types added in later versions."}
        data={[
          { value: "all", label: "All events" },
          { value: "some", label: "Only some…" },
        ]}
        value={limited ? "some" : "all"}
        onChange={(event) => setLimited(event.currentTarget.value === "some")}
      />
      {limited && (
        <Checkbox.Group aria-label="Types of events" value={chosen} onChange={setChosen}>
          <div className={styles.types}>
            {Object.entries(EVENT_TYPES).map(([type, { description }]) => (
              <Checkbox key={type} value={type} label={type} description={description} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </>
  );
  return { types: limited ? chosen : null, field };
}
