import { Button, NativeSelect } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { labelOf } from "../agents/agent-label";
import { useAgents } from "../agents/use-agents";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Sliced } from "../ui/sliced";
import { ConversationList } from "./conversation-list";

const { component: OpenConversation } = loaded(
  async () => (await import("./open-conversation")).OpenConversation,
);

/** Inbox → Conversations: the queue of conversations that need a reply, and all others, of all agents or one. */
export function Conversations() {
  const { may, deactivated } = useViewer();
  const address = useListAddress();
  const agents = useAgents().data?.agents ?? [];
  const [opening, setOpening] = useState(false);
  const open = () => setOpening(true);
  const wanted = address.get("agent");
  // Shows the list before the agents are loaded; a deleted agent in the URL is ignored then.
  const isKnown = agents.length === 0 || agents.some(({ id }) => id === wanted);
  const agentId = wanted !== "" && isKnown ? wanted : null;
  const options = agents.map((each) => ({ value: each.id, label: labelOf(each, agents) }));
  const shown = agentId === null ? options : options.filter(({ value }) => value === agentId);
  return (
    <Page
      section="Inbox"
      title="Conversations"
      lead="Conversations between your agents and their contacts."
      actions={
        <>
          {(options.length > 1 || wanted !== "") && (
            <NativeSelect
              className={pageStyles.choice}
              aria-label="Agent"
              data={[{ value: "", label: "All agents" }, ...options]}
              value={agentId ?? ""}
              // Drops filters that belong to the previous agent.
              onChange={({ currentTarget }) =>
                address.filter({ agent: currentTarget.value, line: "", contact: "" })
              }
            />
          )}
          {may("conversations_write") && (
            <Button
              leftSection={<Icon of={IconPlus} size={16} />}
              disabled={deactivated || shown.length === 0}
              onClick={open}
            >
              New conversation
            </Button>
          )}
        </>
      }
    >
      <Sliced>
        {() => (
          <ConversationList
            agentId={agentId}
            onlyAgentId={shown.length === 1 ? (shown[0]?.value ?? null) : null}
            severalAgents={shown.length > 1}
            onOpen={open}
          />
        )}
      </Sliced>
      {opening && shown[0] && (
        <OpenConversation agentId={shown[0].value} agents={shown} onClosed={() => setOpening(false)} />
      )}
    </Page>
  );
}
