import { Button } from "@mantine/core";
import { useState } from "react";
import { useViewer } from "../session/session";
import { loaded } from "../ui/loaded";
import { RowMenu } from "../ui/row-menu";
import type { Action } from "./conversation-dialogs";
import type { ConversationFragment } from "./documents.generated";

const { component: ConversationDialog } = loaded(
  async () => (await import("./conversation-dialogs")).ConversationDialog,
);

/** Actions on an open conversation, for members with write permission. */
export function ConversationActions({ conversation }: { conversation: ConversationFragment }) {
  const { may, deactivated } = useViewer();
  const [action, setAction] = useState<Action>();
  if (!may("conversations_write") || conversation.state === "closed") return null;
  const isHuman = conversation.handler === "human";
  return (
    <>
      <Button
        variant="default"
        disabled={deactivated}
        onClick={() => setAction(isHuman ? "release" : "handOff")}
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
