import { Button } from "@mantine/core";
import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { spelled } from "../members/permission-tags";
import { Sessions } from "../members/sessions";
import { signOut, useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { formatDay } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Card, Page } from "../ui/page";
import { useTask } from "../ui/task";
import { ColorScheme } from "./color-scheme";
import { OwnIdentityDocument } from "./documents.generated";
import { HandoffNotices } from "./handoff-notices";
import styles from "./profile.module.css";

/** Polling interval (ms): accounts rarely change. */
const POLL_INTERVAL_MS = 60_000;

const { component: ChangeEmail } = loaded(async () => (await import("./account-dialogs")).ChangeEmail);
const { component: ChangePassword } = loaded(async () => (await import("./account-dialogs")).ChangePassword);

/** The signed-in member: how they sign in, where they are signed in, which emails they get, and the theme. */
export function Profile() {
  const { email, permissions, organization, may } = useViewer();
  const [changes, setChanges] = useState<"email" | "password">();
  const { busy, error, run } = useTask();
  const identity = usePolledQuery(OwnIdentityDocument, {}, { pollMs: POLL_INTERVAL_MS }).data?.viewer
    ?.identity;
  const onClosed = () => setChanges(undefined);
  return (
    <Page section="Settings" title="Profile">
      <Card
        title="Account"
        aside={
          <span className={styles.buttons}>
            <Button variant="default" size="xs" onClick={() => setChanges("email")}>
              Change email…
            </Button>
            <Button variant="default" size="xs" onClick={() => setChanges("password")}>
              Change password…
            </Button>
          </span>
        }
      >
        <Facts
          facts={{
            Email: email,
            "Linked account":
              identity == null ? undefined : (
                <>
                  {new URL(identity.issuer).host}, since {formatDay(identity.boundAt)}
                </>
              ),
            Organization: organization.name,
            Permissions: permissions.map((permission) => spelled(permission)).join(", ") || "View only",
          }}
        />
      </Card>
      <Card
        title="Sessions"
        aside={
          <Button
            variant="default"
            size="xs"
            loading={busy}
            onClick={() => run(() => signOut({ everywhere: true }))}
          >
            Sign out everywhere
          </Button>
        }
      >
        {error !== undefined && <Failure error={error} />}
        <Sessions />
      </Card>
      {may("conversations_read") && <HandoffNotices />}
      <Card title="Theme">
        <div className={styles.theme}>
          <p>This browser remembers it.</p>
          <ColorScheme />
        </div>
      </Card>
      {changes === "email" && <ChangeEmail onClosed={onClosed} />}
      {changes === "password" && <ChangePassword onClosed={onClosed} />}
    </Page>
  );
}
