import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { AllAgentsPage } from "../parts/all-agents-page";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { loaded } from "../ui/loaded";
import { ConversationList } from "./conversation-list";

const { component: OpenConversation } = loaded(
  async () => (await import("../contacts/open-conversation")).OpenConversation,
);

/** Inbox → Conversations: the queue of conversations that need a reply, and all others, for one agent or all agents. */
export function Conversations() {
  const { may, deactivated } = useViewer();
  const [opening, setOpening] = useState(false);
  const open = () => setOpening(true);
  return (
    <AllAgentsPage
      section="Inbox"
      title="Conversations"
      lead="Conversations between your agents and their contacts."
      dropped={["line", "contact"]}
      actions={({ shown }) =>
        may("conversations_write") && (
          <Button
            leftSection={<Icon of={IconPlus} size={16} />}
            disabled={deactivated || shown.length === 0}
            onClick={open}
          >
            New conversation
          </Button>
        )
      }
    >
      {({ shown, ...agents }) => (
        <>
          <ConversationList {...agents} onOpen={open} />
          {opening && shown[0] && (
            <OpenConversation agentId={shown[0].value} agents={shown} onClosed={() => setOpening(false)} />
          )}
        </>
      )}
    </AllAgentsPage>
  );
}
