import { Button } from "@mantine/core";
import { Dialog, DialogButtons } from "../ui/dialog";
import type { MemberEntry } from "./invite-member";
import { Sessions } from "./sessions";

export const MemberSessions = ({ member, onClosed }: { member: MemberEntry; onClosed: () => void }) => (
  <Dialog title={`Sessions of ${member.email}`} size="54rem" onClosed={onClosed}>
    {(close) => (
      <>
        <Sessions memberId={member.id} />
        <DialogButtons>
          <Button onClick={close}>Done</Button>
        </DialogButtons>
      </>
    )}
  </Dialog>
);
