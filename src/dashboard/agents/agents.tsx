import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { usePolledQuery } from "../api/client";
import { Managers } from "../members/managers";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { List, onePage } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Empty, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { RowMenu } from "../ui/row-menu";
import { columnsOf } from "../ui/table";
import { type AgentAction, agentActions } from "./agent-actions";
import type { Agent } from "./agent-page";
import { AgentsDocument } from "./documents.generated";

const { component: CreateAgent } = loaded(async () => (await import("./create-agent")).CreateAgent);
const { component: AgentDialog } = loaded(async () => (await import("./agent-dialogs")).AgentDialog);

/** Polling interval (ms); long because agents rarely change. */
const POLL_INTERVAL_MS = 15_000;

const COLUMNS = columnsOf("Name", "Slug", { heading: "Actions", hidden: true });

/** The organization's agents, visible to all members; managers create, rename and delete them. */
export function Agents() {
  const { manages, deactivated } = useViewer();
  const address = useListAddress();
  const [, navigate] = useLocation();
  const [task, setTask] = useState<{ action: AgentAction; agent: Agent }>();
  const query = usePolledQuery(AgentsDocument, {}, { pollMs: POLL_INTERVAL_MS });
  const create = () => address.filter({ create: "yes" });
  return (
    <Page
      title="Agents"
      lead="An agent has its own API keys, lines, contacts and configuration."
      actions={
        manages && (
          <Button leftSection={<Icon of={IconPlus} size={16} />} disabled={deactivated} onClick={create}>
            Create agent
          </Button>
        )
      }
    >
      <div className={pageStyles.card}>
        <List
          label="Agents"
          columns={manages ? COLUMNS : COLUMNS.slice(0, 2)}
          address={address}
          query={query}
          connection={onePage(query.data?.agents)}
          empty={
            <Empty title="No agents yet">
              <p>
                {manages ? (
                  "An agent talks to your contacts on lines such as SMS or e-mail. Its configuration decides what it says."
                ) : (
                  <>
                    Ask <Managers /> to create one.
                  </>
                )}
              </p>
              {manages && (
                <Button size="xs" disabled={deactivated} onClick={create}>
                  Create your first agent
                </Button>
              )}
            </Empty>
          }
          cells={(agent) => [
            <RowLink key="name" href={`/agents/${agent.id}`}>
              {agent.name}
            </RowLink>,
            <code key="slug">{agent.slug}</code>,
            <RowMenu
              key="menu"
              of={agent.name}
              actions={agentActions((action) => setTask({ action, agent }), deactivated)}
            />,
          ]}
        />
      </div>
      {manages && !deactivated && address.get("create") !== "" && (
        <CreateAgent
          onCreated={(id) => navigate(`/agents/${id}`)}
          onClosed={() => address.filter({ create: "" }, { replace: true })}
        />
      )}
      {task && <AgentDialog {...task} onClosed={() => setTask(undefined)} />}
    </Page>
  );
}
