import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { usePolledQuery } from "../api/client";
import { Passkeys } from "../members/passkeys";
import { NAMES } from "../members/permission-tags";
import { Sessions } from "../members/sessions";
import { signOut, useViewer } from "../session/session";
import { useSignInOptions } from "../session/sign-in-options";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { formatDay } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Card, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowMenu } from "../ui/row-menu";
import { useTask } from "../ui/task";
import { ColorScheme } from "./color-scheme";
import { SignInWaysDocument } from "./documents.generated";
import { HandoffNotices } from "./handoff-notices";
import styles from "./profile.module.css";

const { component: ChangeEmail } = loaded(async () => (await import("./account-dialogs")).ChangeEmail);
const { component: ChangeName } = loaded(async () => (await import("./account-dialogs")).ChangeName);
const { component: ChangePassword } = loaded(async () => (await import("./account-dialogs")).ChangePassword);

const { component: RemovePassword } = loaded(async () => (await import("./account-dialogs")).RemovePassword);

const dialogs = () => import("./passkey-dialogs");
const { component: AddPasskey } = loaded(async () => (await dialogs()).AddPasskey);
const { component: RenamePasskey } = loaded(async () => (await dialogs()).RenamePasskey);
const { component: RemovePasskey } = loaded(
  async () => (await import("../members/remove-passkey")).RemovePasskey,
);

/** The signed-in member: how they sign in, where they are signed in, which e-mails they get, and the theme. */
export function Profile() {
  const { email, name, permissions, organization, may } = useViewer();
  const [dialog, open] = useState<ReactNode>();
  const { busy, error, run } = useTask();
  const ways = usePolledQuery(SignInWaysDocument, {}, { pollMs: 60_000 }).data?.viewer;
  const identity = ways?.identity;
  const isFirst = ways?.hasPassword === false;
  const options = useSignInOptions();
  const consequence = isFirst ? "" : "Without passkeys, you sign in with your password alone.";
  const onClosed = () => open(undefined);
  const button = (label: string, opened: ReactNode, isKnown = true) => (
    <Button variant="default" size="xs" disabled={!isKnown} onClick={() => open(opened)}>
      {label}
    </Button>
  );
  return (
    <Page section="Settings" title="Profile">
      <Card
        title="Account"
        aside={
          <span className={pageStyles.actions}>
            {button("Change name…", <ChangeName onClosed={onClosed} />)}
            {button("Change e-mail…", <ChangeEmail onClosed={onClosed} />)}
            {options.password &&
              button(
                isFirst ? "Set password…" : "Change password…",
                <ChangePassword isFirst={isFirst} onClosed={onClosed} />,
              )}
          </span>
        }
      >
        <Facts
          facts={{
            Name: name ?? "None",
            "E-mail": email,
            "Linked account": identity != null && (
              <>
                {new URL(identity.issuer).host}, since {formatDay(identity.boundAt)}
                {!identity.isCurrent && " (no longer used to sign in)"}
              </>
            ),
            Organization: organization.name,
            Permissions: permissions.map((permission) => NAMES[permission]).join(", ") || "View only",
          }}
        />
      </Card>
      {options.password && (
        <Card
          title="Passkeys"
          aside={
            <span className={pageStyles.actions}>
              {/* Shown until the member is known to have no password, because most members have one. */}
              {!isFirst &&
                button("Remove password…", <RemovePassword onClosed={onClosed} />, ways !== undefined)}
              {button("Add passkey…", <AddPasskey onClosed={onClosed} />)}
            </span>
          }
        >
          <Passkeys
            actions={(passkey) => (
              <RowMenu
                key="menu"
                of={passkey.name}
                actions={[
                  {
                    label: "Rename…",
                    onClick: () => open(<RenamePasskey passkey={passkey} onClosed={onClosed} />),
                  },
                  {
                    label: "Remove…",
                    isDestructive: true,
                    onClick: () =>
                      open(<RemovePasskey passkey={passkey} consequence={consequence} onClosed={onClosed} />),
                  },
                ]}
              />
            )}
          />
        </Card>
      )}
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
      {dialog}
    </Page>
  );
}
