import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { AgentPage } from "../agents/agent-page";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { loaded } from "../ui/loaded";
import { ConversationList } from "./conversation-list";

const { component: OpenConversation } = loaded(
  async () => (await import("./open-conversation")).OpenConversation,
);

/** Inbox → Conversations: find and start conversations. */
export function Conversations() {
  const { may, deactivated } = useViewer();
  const [opening, setOpening] = useState(false);
  const open = () => setOpening(true);
  return (
    <AgentPage
      section="Inbox"
      title="Conversations"
      lead="Conversations between your agent and its contacts, latest activity first."
      actions={() =>
        may("conversations_write") && (
          <Button leftSection={<Icon of={IconPlus} size={16} />} disabled={deactivated} onClick={open}>
            New conversation
          </Button>
        )
      }
    >
      {({ id }) => (
        <>
          <ConversationList agentId={id} onOpen={open} />
          {opening && <OpenConversation agentId={id} onClosed={() => setOpening(false)} />}
        </>
      )}
    </AgentPage>
  );
}
