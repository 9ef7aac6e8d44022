import { Button, Skeleton } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "../api/client";
import { MembersDocument, type MembersQuery } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Card, Page } from "../ui/page";
import { Time } from "../ui/time";
import { Members } from "./members";
import styles from "./organization.module.css";
import { SwitchOrganization } from "./switch-organization";

/** The organization: what it is called, who belongs to it, and the switch that turns its keys off and on. */
export function Organization() {
  const { data, error, refetch } = useAnswer(MembersDocument, {});
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
          <dt>Short name</dt>
          <dd>
            <code>{organization.slug}</code>
          </dd>
          <dt>State</dt>
          <dd>
            {organization.deactivatedAt === null ? (
              "Active: its API keys resolve."
            ) : (
              <>
                Deactivated <Time value={organization.deactivatedAt} />: none of its API keys resolves.
              </>
            )}
          </dd>
        </dl>
      </Card>
      <Members members={members} />
      {manages && (
        <Card title={deactivated ? "Reactivate the organization" : "Deactivate the organization"}>
          <div className={styles.switch}>
            <p>
              {deactivated
                ? "Its API keys resolve again from the next request on, and things can be changed again."
                : "Every API key stops resolving from the next request on. Members can still look at everything, but change nothing. It can be undone here."}
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
