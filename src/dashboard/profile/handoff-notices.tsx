import { Switch } from "@mantine/core";
import { change, usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { Card } from "../ui/page";
import { Result } from "../ui/result";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { HandoffNoticesDocument, SetHandoffNoticesDocument } from "./documents.generated";
import styles from "./profile.module.css";

/** Turns e-mails about handoffs on and off for each agent. */
export function HandoffNotices() {
  const query = usePolledQuery(HandoffNoticesDocument, {}, { pollMs: 30_000 });
  const { deactivated } = useViewer();
  const { busy, error, run } = useTask();
  const set = (agentId: string, name: string, enabled: boolean) =>
    run(async () => {
      await change(SetHandoffNoticesDocument, { agentId, enabled });
      toast(`You’ll get ${enabled ? "" : "no more "}e-mails about ${name}’s handoffs.`);
    });
  return (
    <Card title="E-mails about handoffs">
      {error !== undefined && <Failure error={error} />}
      <Result query={query} height={120}>
        {({ agents }) =>
          agents.every(({ handoffNotices }) => handoffNotices === null) ? (
            <p className={styles.notices}>
              {agents.length === 0
                ? "There are no agents yet."
                : "This server sends no e-mail. An administrator can set SMTP_URL and MAIL_FROM."}
            </p>
          ) : (
            <div className={styles.notices}>
              <p>
                You get one e-mail when an agent hands off a conversation, and no more about it until someone
                opens it. If the conversation is assigned, only the assignee gets it.
              </p>
              <ul aria-label="Agents">
                {agents.map(({ id, name, handoffNotices }) => (
                  <li key={id}>
                    <Switch
                      label={<bdi>{name}</bdi>}
                      checked={handoffNotices === true}
                      disabled={busy || deactivated}
                      onChange={({ currentTarget }) => void set(id, name, currentTarget.checked)}
                    />
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Result>
    </Card>
  );
}
