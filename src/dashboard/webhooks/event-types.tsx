import { Checkbox, NativeSelect } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { EVENT_TYPES } from "../../features/events/event-types";
import styles from "./webhooks.module.css";

/** The field for the types of events that an endpoint gets, and what was chosen: null for all. */
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
        description={limited ? undefined : "All types, including those that later versions add."}
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
            {Object.entries(EVENT_TYPES).map(([type, says]) => (
              <Checkbox key={type} value={type} label={type} description={says} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </>
  );
  return { types: limited ? chosen : null, field };
}
