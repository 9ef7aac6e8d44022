import { Checkbox, NativeSelect } from "@mantine/core";
import { type ReactNode, useState } from "react";
import styles from "./dialogs.module.css";
import type { Scope } from "./documents.generated";

/** The scopes declared by the features, with their descriptions. */
const ALLOWS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(import.meta.glob<object>("../../features/*/*.scopes.ts", { eager: true })).flatMap(
    (declared) => Object.values(declared),
  ),
);

const SCOPES = Object.keys(ALLOWS).map((name) => name.replace(":", "_") as Scope);

const READ_ONLY = SCOPES.filter((scope) => scope.endsWith("_read"));

/** A scope as spelled in documentation and error messages. */
export const spelled = (scope: Scope): string => scope.replace("_", ":");

/** The field for a new key's scopes, and the selection; null for all scopes. */
export function useScopes(): { scopes: Scope[] | null; field: ReactNode } {
  const [which, setWhich] = useState("all");
  const [chosen, setChosen] = useState<Scope[]>([]);
  const field = (
    <>
      <NativeSelect
        label="Scopes"
        description="What the key can be used for. Scopes can’t be changed later."
        data={[
          { value: "all", label: "All scopes" },
          { value: "read", label: "Read-only" },
          { value: "some", label: "Only some…" },
        ]}
        value={which}
        onChange={(event) => setWhich(event.currentTarget.value)}
      />
      {which === "some" && (
        <Checkbox.Group<Scope> aria-label="Allowed" value={chosen} onChange={setChosen}>
          <div className={styles.scopes}>
            {SCOPES.map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={spelled(scope)}
                description={ALLOWS[spelled(scope)]}
              />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </>
  );
  return { scopes: { all: null, read: READ_ONLY, some: chosen }[which] ?? null, field };
}
