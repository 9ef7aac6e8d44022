import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { usePolledQuery } from "../api/client";
import { Managers } from "../members/managers";
import type { Agent } from "../parts/agent-page";
import { useViewer } from "../session/session";
import { formatNumber, Time } from "../ui/format";
import { Icon } from "../ui/icon";
import { List, onePage } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Empty, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { RowMenu } from "../ui/row-menu";
import { ACTIONS, columnsOf } from "../ui/table";
import { type AgentAction, agentActions } from "./agent-actions";
import { AgentListDocument, type AgentListQuery } from "./documents.generated";

const { component: CreateAgent } = loaded(async () => (await import("./create-agent")).CreateAgent);
const { component: AgentDialog } = loaded(async () => (await import("./agent-dialogs")).AgentDialog);

const COLUMNS = columnsOf("Name", "API keys", "Lines", "Live version", "Last decision", ACTIONS);

type Summary = NonNullable<AgentListQuery["agentSummaries"]>[number];

/** Returns the cells with an agent's figures, each linked to the corresponding page. */
function cellsOf(id: string, summary: Summary | undefined, mayRead: boolean) {
  if (summary === undefined) return ["–", "–", "–", "–"];
  const { activeKeys, lines, liveVersion, lastDecisionAt } = summary;
  return [
    <Link key="keys" href={`/api-keys?agent=${id}&state=active`}>
      {formatNumber(activeKeys)}
    </Link>,
    <Link key="lines" href={`/lines?agent=${id}`}>
      {formatNumber(lines)}
    </Link>,
    <Link key="version" href={`/configuration?agent=${id}`}>
      {formatNumber(liveVersion)}
    </Link>,
    lastDecisionAt === null ? (
      "None"
    ) : mayRead ? (
      <Link key="decision" href={`/decisions?agent=${id}`}>
        <Time value={lastDecisionAt} />
      </Link>
    ) : (
      <Time key="decision" value={lastDecisionAt} />
    ),
  ];
}

/** The organization's agents, visible to all members; managers create, rename and delete them. */
export function Agents() {
  const { manages, may, deactivated } = useViewer();
  const address = useListAddress();
  const [, navigate] = useLocation();
  const [task, setTask] = useState<{ action: AgentAction; agent: Agent }>();
  const query = usePolledQuery(AgentListDocument, { manages }, { pollMs: 15_000 });
  const summaries = new Map(query.data?.agentSummaries?.map((each) => [each.agentId, each]));
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
          columns={manages ? COLUMNS : COLUMNS.slice(0, 1)}
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
            <div key="name">
              <RowLink href={`/agents/${agent.id}`}>{agent.name}</RowLink>
              <p className={pageStyles.second}>
                <code>{agent.slug}</code>
              </p>
            </div>,
            ...cellsOf(agent.id, summaries.get(agent.id), may("conversations_read")),
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
          onCreated={(id) => navigate(`/agents/${id}`, { replace: true })}
          onClosed={() => address.filter({ create: "" }, { replace: true })}
        />
      )}
      {task && <AgentDialog {...task} onClosed={() => setTask(undefined)} />}
    </Page>
  );
}
