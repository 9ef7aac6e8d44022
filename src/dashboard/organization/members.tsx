import type { MembersQuery } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Card } from "../ui/page";
import { type Column, DataTable, Row } from "../ui/table";
import { Tag } from "../ui/tag";
import styles from "./organization.module.css";

const COLUMNS: readonly Column[] = [{ heading: "Member" }, { heading: "May" }, { heading: "Permission" }];

/** Who belongs to the organization, and what they may do. */
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
                  <strong>{email}</strong> {id === viewer.id && "(you)"}
                </span>,
                manages ? "Manage API keys, read the audit log" : "Look at agents and members",
                manages ? (
                  <Tag key="permission" tone="plain">
                    config:manage
                  </Tag>
                ) : (
                  "None"
                ),
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
