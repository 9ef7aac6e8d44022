import { InfoDialog } from "../ui/dialog";
import type { MemberEntry } from "./invite-member";
import { Sessions } from "./sessions";

export const MemberSessions = ({ member, onClosed }: { member: MemberEntry; onClosed: () => void }) => (
  <InfoDialog title={`Sessions of ${member.email}`} size="54rem" hasControls onClosed={onClosed}>
    <Sessions memberId={member.id} />
  </InfoDialog>
);
