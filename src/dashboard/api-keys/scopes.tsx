import { Checkbox, NativeSelect } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Scope } from "../api/documents.generated";
import styles from "./dialogs.module.css";

/** What each scope allows, in the order in which they are offered. */
const ALLOWS: Readonly<Record<Scope, string>> = {
  pets_read: "Read pets",
  pets_write: "Add pets",
  messages_read: "Read messages",
  messages_write: "Queue messages",
  agent_read: "Read the agent's configuration",
  agent_decide: "Have the agent decide",
  contacts_read: "Read contacts",
  contacts_write: "Change contacts",
  conversations_read: "Read conversations",
  conversations_write: "Change conversations",
  events_read: "Read events",
};

/** A scope as documentation and error messages spell it. */
export const spelled = (scope: Scope): string => scope.replace("_", ":");

/** The field for the scopes of a new key, and what was chosen: null for all. */
export function useScopes(): { scopes: Scope[] | null; field: ReactNode } {
  const [limited, setLimited] = useState(false);
  const [chosen, setChosen] = useState<Scope[]>([]);
  const field = (
    <>
      <NativeSelect
        label="Scopes"
        description="What the key may be used for. Scopes cannot be changed later."
        data={[
          { value: "all", label: "All scopes" },
          { value: "some", label: "Only some…" },
        ]}
        value={limited ? "some" : "all"}
        onChange={(event) => setLimited(event.currentTarget.value === "some")}
      />
      {limited && (
        <Checkbox.Group<Scope> aria-label="Allowed" value={chosen} onChange={setChosen}>
          <div className={styles.scopes}>
            {(Object.keys(ALLOWS) as Scope[]).map((scope) => (
              <Checkbox key={scope} value={scope} label={ALLOWS[scope]} description={spelled(scope)} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </>
  );
  return { scopes: limited ? chosen : null, field };
}
