import { Tag, Tags } from "../ui/tag";
import type { Permission } from "./documents.generated";
import styles from "./members.module.css";

/** All permissions, in display order. */
export const PERMISSIONS: readonly Permission[] = [
  "config_manage",
  "conversations_read",
  "conversations_write",
];

/** The names of permissions in lists. */
export const NAMES: Readonly<Record<Permission, string>> = {
  config_manage: "Manage",
  conversations_read: "Read conversations",
  conversations_write: "Write in conversations",
};

/** Returns a permission as spelled in documentation and error messages. */
export const spelled = (permission: Permission): string => permission.replace("_", ":");

export const PermissionTags = ({ permissions }: { permissions: readonly Permission[] }) =>
  permissions.length === 0 ? (
    <span className={styles.none}>View only</span>
  ) : (
    <Tags>
      {PERMISSIONS.filter((permission) => permissions.includes(permission)).map((permission) => (
        <Tag key={permission} tone="plain">
          {NAMES[permission]}
        </Tag>
      ))}
    </Tags>
  );
