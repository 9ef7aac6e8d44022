import { Checkbox, NativeSelect } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { organizationScopes } from "../../auth/organization-scopes";
import { typographic } from "../api/typographic";
import styles from "./dialogs.module.css";
import type { Scope } from "./documents.generated";

/** The scopes of agent keys, declared by the features, with their descriptions. */
const ALLOWS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(import.meta.glob<object>("../../features/*/*.scopes.ts", { eager: true })).flatMap(
    (declared) => Object.values(declared),
  ),
);

const scopesIn = (allows: Readonly<Record<string, string>>) =>
  Object.keys(allows).map((name) => name.replace(":", "_") as Scope);

const SCOPES = scopesIn(ALLOWS);

const READ_ONLY = SCOPES.filter((scope) => scope.endsWith("_read"));

/** Returns a scope as spelled in documentation and error messages. */
export const spelled = (scope: Scope): string => scope.replace("_", ":");

/** Describes what a scope allows, in a sentence. */
export const allowedBy = (scope: Scope): string => typographic(ALLOWS[spelled(scope)] ?? "");

/** Returns the selected scopes of a new key (null for all), and a function that renders their field. */
export function useScopes(): { scopes: Scope[] | null; field: (error?: string) => ReactNode } {
  const [which, setWhich] = useState("all");
  const [chosen, setChosen] = useState<Scope[]>([]);
  const field = (error?: string) => (
    <>
      <NativeSelect
        label="Scopes"
        description="What the key can do. Scopes can’t be changed later."
        data={[
          { value: "all", label: "All scopes" },
          { value: "read", label: "Read-only" },
          { value: "some", label: "Only some…" },
        ]}
        value={which}
        onChange={(event) => setWhich(event.currentTarget.value)}
      />
      {which === "some" && (
        <Choice label="Allowed" allows={ALLOWS} chosen={chosen} error={error} onChosen={setChosen} />
      )}
    </>
  );
  return { scopes: { all: null, read: READ_ONLY, some: chosen }[which] ?? null, field };
}

/** Returns the selected scopes of a new organization key, and a function that renders their field. */
export function useOrganizationScopes(): { scopes: Scope[]; field: (error?: string) => ReactNode } {
  const [scopes, setScopes] = useState<Scope[]>([]);
  const field = (error?: string) => (
    <Choice label="Scopes" allows={organizationScopes} chosen={scopes} error={error} onChosen={setScopes} />
  );
  return { scopes, field };
}

const Choice = (props: {
  label: string;
  allows: Readonly<Record<string, string>>;
  chosen: Scope[];
  error: string | undefined;
  onChosen: (scopes: Scope[]) => void;
}) => (
  <Checkbox.Group<Scope>
    label={props.label}
    value={props.chosen}
    onChange={props.onChosen}
    error={props.error}
    // Shows the error next to the first checkbox, because the dialog focuses that checkbox.
    inputWrapperOrder={["label", "error", "input"]}
  >
    <div className={styles.scopes}>
      {scopesIn(props.allows).map((scope) => (
        <Checkbox
          key={scope}
          name="scopes"
          value={scope}
          label={spelled(scope)}
          description={typographic(props.allows[spelled(scope)] ?? "")}
          aria-invalid={props.error !== undefined}
        />
      ))}
    </div>
  </Checkbox.Group>
);
