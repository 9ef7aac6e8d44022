import type { MembersQuery, Permission } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Card } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { Tag } from "../ui/tag";
import styles from "./organization.module.css";

const COLUMNS: readonly Column[] = [{ heading: "Member" }, { heading: "May" }, { heading: "Permissions" }];

const MAY: Readonly<Record<Permission, string>> = {
  config_manage: "Manage API keys and members, read the audit log",
  conversations_read: "Read conversations",
  conversations_write: "Write in conversations",
};

/** Who belongs to the organization, and what they may do. */
export function Members({ members }: { members: MembersQuery["members"] }) {
  const viewer = useViewer();
  return (
    <Card title="Members">
      <DataTable label="Members" columns={COLUMNS}>
        {members.map(({ id, email, permissions }) => {
          return (
            <Row
              key={id}
              columns={COLUMNS}
              cells={[
                <span key="email">
                  <strong>{email}</strong> {id === viewer.id && "(you)"}
                </span>,
                permissions.map((permission) => MAY[permission]).join(". ") || "Look at agents and members",
                permissions.length === 0
                  ? "None"
                  : permissions.map((permission) => (
                      <Tag key={permission} tone="plain">
                        {permission.replace("_", ":")}
                      </Tag>
                    )),
              ]}
            />
          );
        })}
      </DataTable>
      <p className={styles.note}>
        Members are added and given permissions at the command line of the server:{" "}
        <code>npm run -s gateway -- members --help</code>
      </p>
    </Card>
  );
}
