import { Checkbox } from "@mantine/core";
import type { Permission } from "./documents.generated";
import styles from "./members.module.css";
import { PERMISSIONS, spelled } from "./permission-tags";

/** The descriptions of permissions. */
const ALLOWS: Readonly<Record<Permission, string>> = {
  config_manage: "Manage API keys, agents, members and settings; read the audit log",
  conversations_read: "Read contacts, conversations, messages and decisions",
  conversations_write: "Write in conversations and manage contacts",
};

/** The names of a form's checkboxes. */
const FIELD = "permissions";

/** Checkboxes for permissions. Every member may view agents and members. */
export const PermissionFields = ({ chosen }: { chosen: readonly Permission[] }) => (
  <fieldset className={styles.permissions}>
    <legend>Permissions</legend>
    <p className={styles.none}>All members can view agents and members.</p>
    {PERMISSIONS.map((permission) => (
      <Checkbox
        key={permission}
        name={FIELD}
        value={permission}
        defaultChecked={chosen.includes(permission)}
        label={ALLOWS[permission]}
        description={spelled(permission)}
      />
    ))}
  </fieldset>
);

/** The permissions selected in a form. */
export const permissionsOf = (form: FormData): Permission[] => {
  const chosen = form.getAll(FIELD);
  return PERMISSIONS.filter((permission) => chosen.includes(permission));
};
