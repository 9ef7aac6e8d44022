import type { MembersQuery } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Card } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { Tag } from "../ui/tag";
import styles from "./organization.module.css";

const COLUMNS: readonly Column[] = [{ heading: "Member" }, { heading: "Role" }, { heading: "Permissions" }];

/** The members with their permissions. */
export function Members({ members }: { members: MembersQuery["members"] }) {
  const viewer = useViewer();
  return (
    <Card title="Members">
      <DataTable label="Members" columns={COLUMNS}>
        {members.map(({ id, email, permissions }) => {
          const manages = permissions.includes("config_manage");
          return (
            <Row
              key={id}
              columns={COLUMNS}
              cells={[
                <span key="email">
                  <strong className={styles.email}>{email}</strong> {id === viewer.id && "(you)"}
                </span>,
                manages
                  ? "Admin – manages keys, views the audit log"
                  : "Viewer – can view agents and members",
                manages ? (
                  <Tag key="permission" tone="plain">
                    config:manage
                  </Tag>
                ) : (
                  "–"
                ),
              ]}
            />
          );
        })}
      </DataTable>
      <p className={styles.note}>
        Invite members from the command line: <code>npm run -s gateway -- members --help</code>
      </p>
    </Card>
  );
}
