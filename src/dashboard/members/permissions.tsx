import { Checkbox, NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { Permission } from "./documents.generated";
import styles from "./members.module.css";
import { PERMISSIONS, spelled } from "./permission-tags";

/** The descriptions of permissions. */
const ALLOWS: Readonly<Record<Permission, string>> = {
  config_manage: "Manage API keys, agents, members and settings; read the audit log",
  conversations_read: "Read contacts, conversations, messages and decisions",
  conversations_write: "Write in conversations and manage contacts",
};

/** Common combinations of permissions. */
const ROLES: Readonly<Record<string, readonly Permission[]>> = {
  Viewer: [],
  Support: ["conversations_read", "conversations_write"],
  Manager: PERMISSIONS,
};

/** The role shown for any other combination of permissions. */
const CUSTOM = "Custom";

/** The name shared by the checkboxes in a form. */
const FIELD = "permissions";

/** Selects permissions, one by one or by role. Every member may view agents and members. */
export function PermissionFields({ granted }: { granted: readonly Permission[] }) {
  const [chosen, choose] = useState<ReadonlySet<Permission>>(new Set(granted));
  const role = Object.keys(ROLES).find((name) => isSame(chosen, ROLES[name] ?? [])) ?? CUSTOM;
  return (
    <>
      <NativeSelect
        label="Role"
        data={[...Object.keys(ROLES), ...(role === CUSTOM ? [CUSTOM] : [])]}
        value={role}
        onChange={({ currentTarget }) => choose(new Set(ROLES[currentTarget.value]))}
      />
      <fieldset className={styles.permissions}>
        <legend>Permissions</legend>
        <p className={styles.none}>All members can view agents and members.</p>
        {PERMISSIONS.map((permission) => (
          <Checkbox
            key={permission}
            name={FIELD}
            value={permission}
            checked={chosen.has(permission)}
            onChange={({ currentTarget: { checked } }) =>
              choose(
                new Set(PERMISSIONS.filter((each) => (each === permission ? checked : chosen.has(each)))),
              )
            }
            label={ALLOWS[permission]}
            description={spelled(permission)}
          />
        ))}
      </fieldset>
    </>
  );
}

const isSame = (chosen: ReadonlySet<Permission>, role: readonly Permission[]): boolean =>
  chosen.size === role.length && role.every((permission) => chosen.has(permission));

/** Returns the permissions selected in a form. */
export const permissionsOf = (form: FormData): Permission[] => {
  const chosen = form.getAll(FIELD);
  return PERMISSIONS.filter((permission) => chosen.includes(permission));
};
