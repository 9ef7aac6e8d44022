import { Button, Skeleton } from "@mantine/core";
import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { MembersDocument, type MembersQuery } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { Card, Page } from "../ui/page";
import { Members } from "./members";
import styles from "./organization.module.css";
import { SwitchOrganization } from "./switch-organization";

/** The organization, its members, and its deactivation. */
export function Organization() {
  const { data, error, refetch } = usePolledQuery(MembersDocument, {});
  return (
    <Page section="Settings" title="Organization">
      {data ? (
        <Content members={data.members} />
      ) : error ? (
        <Failure error={error} retry={refetch} />
      ) : (
        <Skeleton height={480} radius="lg" />
      )}
    </Page>
  );
}

function Content({ members }: { members: MembersQuery["members"] }) {
  const { organization, manages, deactivated } = useViewer();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Card title={organization.name}>
        <dl className={styles.facts}>
          <dt>Slug</dt>
          <dd>
            <code>{organization.slug}</code>
          </dd>
          <dt>Status</dt>
          <dd>
            {organization.deactivatedAt === null ? (
              "Active"
            ) : (
              <>
                Deactivated <Time value={organization.deactivatedAt} /> – API keys are rejected.
              </>
            )}
          </dd>
        </dl>
      </Card>
      <Members members={members} />
      {manages && (
        <Card title={deactivated ? "Reactivate organization" : "Deactivate organization"}>
          <div className={styles.switch}>
            <p>
              {deactivated
                ? "API keys start working again immediately."
                : "All API keys stop working immediately. Members keep read-only access. You can reactivate at any time."}
            </p>
            <Button
              variant={deactivated ? "filled" : "default"}
              className={deactivated ? undefined : styles.danger}
              onClick={() => setAsking(true)}
            >
              {deactivated ? "Reactivate…" : "Deactivate…"}
            </Button>
          </div>
        </Card>
      )}
      {asking && <SwitchOrganization onClosed={() => setAsking(false)} />}
    </>
  );
}
