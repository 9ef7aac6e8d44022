import { Checkbox, NativeSelect } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { typographic } from "../api/typographic";
import type { EventType } from "./documents.generated";
import styles from "./webhooks.module.css";

const DECLARED: Readonly<Record<string, { description: string }>> = Object.assign(
  {},
  ...Object.values(import.meta.glob<object>("../../features/*/*.event-types.ts", { eager: true })).flatMap(
    (declared) => Object.values(declared),
  ),
);

/** Event types declared by the features, with their names in webhooks, such as `message.delivered`. */
export const EVENT_TYPES = Object.keys(DECLARED).map((label) => ({
  value: label.replace(".", "_") as EventType,
  label,
}));

/** Returns the name that webhooks use for an event type. */
export const eventTypeLabel = (type: EventType): string =>
  EVENT_TYPES.find(({ value }) => value === type)?.label ?? type;

/** Returns the field for the event types that an endpoint receives, and the selected types; null for all. */
export function useEventTypes(initial: readonly EventType[] | null): {
  types: EventType[] | null;
  field: ReactNode;
} {
  const [limited, setLimited] = useState(initial !== null);
  const [chosen, setChosen] = useState<EventType[]>([...(initial ?? [])]);
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
        <Checkbox.Group
          aria-label="Event types"
          value={chosen}
          onChange={(types) => setChosen(types as EventType[])}
        >
          <div className={styles.types}>
            {EVENT_TYPES.map(({ value, label }) => (
              <Checkbox
                key={value}
                value={value}
                label={label}
                description={typographic(DECLARED[label]?.description.replaceAll("`", "") ?? "")}
              />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </>
  );
  return { types: limited ? chosen : null, field };
}
