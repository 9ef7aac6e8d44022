import { Button } from "@mantine/core";
import { Dialog, DialogButtons } from "../ui/dialog";
import type { MemberEntry } from "./invite-member";
import { Passkeys } from "./passkeys";

/** Lists the passkeys of a member who may have lost them. */
export const MemberPasskeys = ({ member, onClosed }: { member: MemberEntry; onClosed: () => void }) => (
  <Dialog title={`Passkeys of ${member.email}`} size="44rem" onClosed={onClosed}>
    {(close) => (
      <>
        <p>Without passkeys, the member signs in with the password alone.</p>
        <Passkeys memberId={member.id} />
        <DialogButtons>
          <Button onClick={close}>Done</Button>
        </DialogButtons>
      </>
    )}
  </Dialog>
);
