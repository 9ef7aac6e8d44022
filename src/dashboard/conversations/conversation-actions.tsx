import { Button } from "@mantine/core";
import { useState } from "react";
import { sentenceOf } from "../api/api-error";
import { change } from "../api/client";
import { useViewer } from "../session/session";
import { loaded } from "../ui/loaded";
import { RowMenu } from "../ui/row-menu";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import type { Action } from "./conversation-dialogs";
import {
  type ConversationFragment,
  HandOffConversationDocument,
  ReleaseConversationDocument,
} from "./documents.generated";

const { component: ConversationDialog } = loaded(
  async () => (await import("./conversation-dialogs")).ConversationDialog,
);

const report = (failure: unknown) => toast(sentenceOf(failure), "bad");

async function release({ id, version }: ConversationFragment): Promise<void> {
  await change(ReleaseConversationDocument, { id, expectedVersion: version });
  // Does not check the conversation's version, so the handoff succeeds even if the agent has already
  // answered.
  const handOff = () => change(HandOffConversationDocument, { id, expectedVersion: null }).catch(report);
  toast("Released to the agent.", "good", { label: "Hand off again", run: handOff });
}

/** Actions on an open conversation, for members with write permission. */
export function ConversationActions({ conversation }: { conversation: ConversationFragment }) {
  const { may, deactivated } = useViewer();
  const [action, setAction] = useState<Action>();
  const { busy, run } = useTask();
  if (!may("conversations_write") || conversation.state === "closed") return null;
  const isHuman = conversation.handler === "human";
  // “Hand off again” covers only this conversation, not all conversations with the contact.
  const isOnlyThis = conversation.contact?.handedOffAt == null;
  return (
    <>
      <Button
        variant="default"
        disabled={deactivated}
        loading={busy}
        onClick={() =>
          isHuman && isOnlyThis
            ? run(() => release(conversation).catch(report))
            : setAction(isHuman ? "release" : "handOff")
        }
      >
        {isHuman ? "Release to agent" : "Hand off"}
      </Button>
      <RowMenu
        of="this conversation"
        actions={[
          { label: "Move to another line…", disabled: deactivated, onClick: () => setAction("move") },
          {
            label: "Close conversation…",
            isDestructive: true,
            disabled: deactivated,
            onClick: () => setAction("close"),
          },
        ]}
      />
      {action && (
        <ConversationDialog
          action={action}
          conversation={conversation}
          onClosed={() => setAction(undefined)}
        />
      )}
    </>
  );
}
