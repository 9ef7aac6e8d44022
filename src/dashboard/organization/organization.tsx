import { Button } from "@mantine/core";
import { useState } from "react";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Time } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Card, Page } from "../ui/page";
import { Tag } from "../ui/tag";
import styles from "./organization.module.css";

const { component: RenameOrganization } = loaded(
  async () => (await import("./rename-organization")).RenameOrganization,
);
const { component: SwitchOrganization } = loaded(
  async () => (await import("./switch-organization")).SwitchOrganization,
);

/** The organization's details. Managers can rename, deactivate and reactivate it. */
export function Organization() {
  const { organization, manages, deactivated } = useViewer();
  const [asks, setAsks] = useState<"rename" | "switch">();
  const onClosed = () => setAsks(undefined);
  return (
    <Page section="Settings" title="Organization">
      <Card
        title={organization.name}
        aside={
          manages && (
            <Button variant="default" size="xs" disabled={deactivated} onClick={() => setAsks("rename")}>
              Rename…
            </Button>
          )
        }
      >
        <Facts
          facts={{
            Slug: <code>{organization.slug}</code>,
            ID: <code>{organization.id}</code>,
            Status:
              organization.deactivatedAt === null ? (
                <Tag tone="good">Active</Tag>
              ) : (
                <>
                  <Tag tone="bad">Deactivated</Tag> <Time value={organization.deactivatedAt} /> – API keys are
                  rejected.
                </>
              ),
          }}
        />
      </Card>
      {manages && (
        <Card title={deactivated ? "Reactivate organization" : "Deactivate organization"}>
          <div className={styles.switch}>
            <p>
              {deactivated
                ? "API keys start working again immediately."
                : "All API keys stop working immediately. Members keep read-only access. You can reactivate it at any time."}
            </p>
            <Button
              variant={deactivated ? "filled" : "default"}
              className={deactivated ? undefined : styles.danger}
              onClick={() => setAsks("switch")}
            >
              {deactivated ? "Reactivate…" : "Deactivate…"}
            </Button>
          </div>
        </Card>
      )}
      {asks === "rename" && <RenameOrganization onClosed={onClosed} />}
      {asks === "switch" && <SwitchOrganization onClosed={onClosed} />}
    </Page>
  );
}
