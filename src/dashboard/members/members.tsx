import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ComponentType, type ReactNode, useState } from "react";
import { usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { Time } from "../ui/format";
import { Icon } from "../ui/icon";
import { loaded } from "../ui/loaded";
import type { MenuAction } from "../ui/menu-button";
import { Name } from "../ui/name";
import { Card, Empty, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Result } from "../ui/result";
import { RowMenu } from "../ui/row-menu";
import { ACTIONS, columnsOf, DataTable } from "../ui/table";
import { InvitationsDocument, type InvitationsQuery, MembersDocument } from "./documents.generated";
import type { Invitee, MemberEntry } from "./invite-member";
import styles from "./members.module.css";
import { PermissionTags } from "./permission-tags";
import { useMembers } from "./use-members";

const { component: InviteMember } = loaded(async () => (await import("./invite-member")).InviteMember);
const { component: MemberSessions } = loaded(async () => (await import("./member-sessions")).MemberSessions);
const { component: MemberPasskeys } = loaded(async () => (await import("./member-passkeys")).MemberPasskeys);
const { component: ChangePermissions } = loaded(
  async () => (await import("./member-dialogs")).ChangePermissions,
);
const { component: RemoveMember } = loaded(async () => (await import("./member-dialogs")).RemoveMember);
const { component: UnlinkIdentity } = loaded(async () => (await import("./member-dialogs")).UnlinkIdentity);
const { component: WithdrawInvitation } = loaded(
  async () => (await import("./member-dialogs")).WithdrawInvitation,
);

/** Polling interval (ms); long because members rarely change. */
const POLL_INTERVAL_MS = 30_000;

/** The members and, for managers, the pending invitations. */
export function Members() {
  const { manages, deactivated } = useViewer();
  const query = usePolledQuery(MembersDocument, {}, { pollMs: POLL_INTERVAL_MS });
  const [dialog, open] = useState<ReactNode>();
  const onClosed = () => open(undefined);
  const invite = (to?: Invitee) => open(<InviteMember {...(to && { to })} onClosed={onClosed} />);
  return (
    <Page
      section="Settings"
      title="Members"
      lead="People who sign in to this dashboard, and what they can do here."
      actions={
        manages && (
          <Button
            leftSection={<Icon of={IconPlus} size={16} />}
            disabled={deactivated}
            onClick={() => invite()}
          >
            Invite member
          </Button>
        )
      }
    >
      <Card title="Members">
        <Result query={query}>
          {({ members }) => <MemberTable members={members} open={open} onClosed={onClosed} />}
        </Result>
      </Card>
      {manages && <Invitations open={open} onClosed={onClosed} onInvite={invite} />}
      {dialog}
    </Page>
  );
}

/** Opens a dialog; `onClosed` closes it. */
interface Dialogs {
  open: (dialog: ReactNode) => void;
  onClosed: () => void;
}

const COLUMNS = columnsOf("Member", "Permissions", ACTIONS);

function MemberTable({ members, open, onClosed }: Dialogs & { members: readonly MemberEntry[] }) {
  const viewer = useViewer();
  const disabled = viewer.deactivated;
  const columns = viewer.manages ? COLUMNS : COLUMNS.slice(0, 2);
  const actionsOn = (member: MemberEntry): MenuAction[] => {
    const item = (
      label: string,
      Dialog: ComponentType<{ member: MemberEntry; onClosed: () => void }>,
      more: Partial<MenuAction> = {},
    ): MenuAction => ({
      label,
      onClick: () => open(<Dialog member={member} onClosed={onClosed} />),
      ...more,
    });
    return [
      item("Change permissions…", ChangePermissions, { disabled }),
      item("Sessions…", MemberSessions),
      item("Passkeys…", MemberPasskeys),
      ...(member.identity === null ? [] : [item("Unlink account…", UnlinkIdentity, { disabled })]),
      item("Remove…", RemoveMember, { disabled, isDestructive: true }),
    ];
  };
  return (
    <DataTable
      label="Members"
      columns={columns}
      rows={members}
      cells={(member) => [
        <div key="email" className={styles.email}>
          <Name dir={member.id === viewer.id ? "ltr" : undefined}>
            {member.name ?? member.email}
            {member.id === viewer.id && <span className={styles.you}> (you)</span>}
          </Name>
          {member.name !== null && (
            <p className={pageStyles.second}>
              <Name>{member.email}</Name>
            </p>
          )}
        </div>,
        <PermissionTags key="permissions" permissions={member.permissions} />,
        <RowMenu key="menu" of={member.email} actions={actionsOn(member)} />,
      ]}
    />
  );
}

const INVITATION_COLUMNS = columnsOf("E-mail", "Permissions", "Invited by", "Expires", ACTIONS);

type Invitation = InvitationsQuery["invitations"][number];

function Invitations(props: Dialogs & { onInvite: (to: Invitee) => void }) {
  const { open, onClosed } = props;
  const query = usePolledQuery(InvitationsDocument, {}, { pollMs: POLL_INTERVAL_MS });
  const { deactivated: disabled } = useViewer();
  const { nameOfActor } = useMembers();
  const actionsOn = (invitation: Invitation): MenuAction[] => [
    { label: "Invite again…", disabled, onClick: () => props.onInvite(invitation) },
    {
      label: "Withdraw…",
      disabled,
      isDestructive: true,
      onClick: () => open(<WithdrawInvitation invitation={invitation} onClosed={onClosed} />),
    },
  ];
  return (
    <Card title="Pending invitations">
      <Result query={query} height={120}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Empty title="No pending invitations">
              <p>Invite a colleague. The link works once and expires after 72 hours.</p>
            </Empty>
          ) : (
            <DataTable
              label="Pending invitations"
              columns={INVITATION_COLUMNS}
              rows={invitations}
              cells={(invitation) => [
                <div key="email" className={styles.email}>
                  <Name>{invitation.email}</Name>
                </div>,
                <PermissionTags key="permissions" permissions={invitation.permissions} />,
                nameOfActor(invitation.invitedBy),
                <Time key="expires" value={invitation.expiresAt} />,
                <RowMenu
                  key="menu"
                  of={`the invitation of ${invitation.email}`}
                  actions={actionsOn(invitation)}
                />,
              ]}
            />
          )
        }
      </Result>
    </Card>
  );
}
