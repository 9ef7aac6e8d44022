import { Button } from "@mantine/core";
import { useState } from "react";
import { change } from "../api/client";
import { useMembers } from "../members/use-members";
import { useViewer } from "../session/session";
import { Failure } from "../ui/failure";
import { loaded } from "../ui/loaded";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { AssignConversationDocument, type ConversationFragment } from "./documents.generated";
import styles from "./thread.module.css";

const { component: Assign } = loaded(async () => (await import("./conversation-dialogs")).Assign);

/** The member assigned to a conversation. Members with write permission can change it. */
export function Assignee({ conversation }: { conversation: ConversationFragment }) {
  const { id: viewerId, may, deactivated } = useViewer();
  const { nameOf, readers } = useMembers();
  const { busy, error, run } = useTask();
  const [assigning, setAssigning] = useState(false);
  const { id, assigneeId } = conversation;
  // The assignee may have lost the permission to read conversations, and the members may not be loaded yet.
  const isListed = assigneeId === null || readers.some(({ value }) => value === assigneeId);
  const options = isListed ? readers : [...readers, { value: assigneeId, label: nameOf(assigneeId) }];
  const toMe = () =>
    run(async () => {
      await change(AssignConversationDocument, { id, memberId: viewerId });
      toast("Assigned to you.");
    });
  return (
    <div className={styles.assignee}>
      <bdi>{nameOf(assigneeId)}</bdi>
      {may("conversations_write") && (
        <>
          {assigneeId !== viewerId && (
            <Button size="xs" variant="default" loading={busy} disabled={deactivated} onClick={toMe}>
              Assign to me
            </Button>
          )}
          <Button size="xs" variant="default" disabled={deactivated} onClick={() => setAssigning(true)}>
            Assign…
          </Button>
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      {assigning && (
        <Assign conversation={conversation} readers={options} onClosed={() => setAssigning(false)} />
      )}
    </div>
  );
}
