import { Button } from "@mantine/core";
import { useState } from "react";
import { InfoDialog } from "../ui/dialog";
import type { MemberEntry } from "./invite-member";
import styles from "./members.module.css";
import { type PasskeyEntry, Passkeys } from "./passkeys";
import { RemovePasskey } from "./remove-passkey";

/** Lists a member's passkeys, so that managers can remove a lost one. */
export function MemberPasskeys({ member, onClosed }: { member: MemberEntry; onClosed: () => void }) {
  const [removed, remove] = useState<PasskeyEntry>();
  const consequence = withoutPasskeys(member);
  return (
    <>
      <InfoDialog title={`Passkeys of ${member.email}`} size="44rem" hasControls onClosed={onClosed}>
        <p>{consequence}</p>
        <Passkeys
          memberId={member.id}
          actions={(passkey) => (
            <span key="remove" className={styles.end}>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Remove the passkey ${passkey.name}`}
                onClick={() => remove(passkey)}
              >
                Remove…
              </Button>
            </span>
          )}
        />
      </InfoDialog>
      {removed && (
        <RemovePasskey passkey={removed} consequence={consequence} onClosed={() => remove(undefined)} />
      )}
    </>
  );
}

function withoutPasskeys({ hasPassword, identity }: MemberEntry): string {
  if (hasPassword) return "Without passkeys, the member signs in with the password alone.";
  if (identity?.isCurrent) return "Without passkeys, the member signs in with the linked account alone.";
  return "The member has no password. After you remove their passkeys, invite the same address again.";
}
