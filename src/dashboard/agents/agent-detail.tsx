import { useState } from "react";
import { Link, useParams } from "wouter";
import { usePolledQuery } from "../api/client";
import { RecentDecisions } from "../decisions/recent-decisions";
import { KINDS } from "../lines/line-kinds";
import { LineTag } from "../lines/line-state";
import { useMembers } from "../members/use-members";
import type { Agent } from "../parts/agent-page";
import { NoSuchAgent } from "../parts/no-such-agent";
import { useAgents } from "../parts/use-agents";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { formatCount, Time } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Card, Empty, LoadingPage, Page } from "../ui/page";
import { Result } from "../ui/result";
import { RowLink } from "../ui/row-link";
import { RowMenu } from "../ui/row-menu";
import { columnsOf, DataTable } from "../ui/table";
import { Tag } from "../ui/tag";
import { type AgentAction, agentActions } from "./agent-actions";
import styles from "./agent-detail.module.css";
import { AgentSetupDocument, type AgentSetupQuery } from "./documents.generated";

const { component: AgentDialog } = loaded(async () => (await import("./agent-dialogs")).AgentDialog);

/** Overview of an agent: its resources and latest decisions. */
export function AgentDetail() {
  const { id } = useParams<{ id: string }>();
  const { data, error, refetch } = useAgents();
  const agent = data?.agents.find((each) => each.id === id);
  const section = <Link href="/agents">Agents</Link>;
  if (agent !== undefined) return <Content agent={agent} />;
  if (data === undefined && error === null) return <LoadingPage title="Agent" section="Agents" />;
  return (
    <Page title="Agent" section={section}>
      {data === undefined ? <Failure error={error} retry={refetch} /> : <NoSuchAgent />}
    </Page>
  );
}

function Content({ agent }: { agent: Agent }) {
  const { manages, deactivated, may } = useViewer();
  const [action, setAction] = useState<AgentAction>();
  return (
    <Page
      title={agent.name}
      section={<Link href="/agents">Agents</Link>}
      actions={manages && <RowMenu of={agent.name} actions={agentActions(setAction, deactivated)} />}
    >
      <Card title="About">
        <Facts facts={{ Slug: <code>{agent.slug}</code>, ID: <code>{agent.id}</code> }} />
      </Card>
      {manages && <Setup agent={agent} />}
      {may("conversations_read") && <RecentDecisions agentId={agent.id} />}
      {action && <AgentDialog action={action} agent={agent} onClosed={() => setAction(undefined)} />}
    </Page>
  );
}

function Setup({ agent }: { agent: Agent }) {
  const query = usePolledQuery(AgentSetupDocument, { id: agent.id }, { pollMs: 30_000 });
  return (
    <div className={styles.setup}>
      <Result query={query} height={480}>
        {(data) => (
          <>
            <Keys agent={agent} keys={data.apiKeys} />
            <Lines agent={agent} lines={data.lines} />
            <LiveConfiguration agent={agent} version={data.configurationVersions.nodes[0]} />
          </>
        )}
      </Result>
    </div>
  );
}

const KEY_COLUMNS = columnsOf("Name", "Key", "Last used");

function Keys({ agent, keys }: { agent: Agent; keys: AgentSetupQuery["apiKeys"] }) {
  const { deactivated } = useViewer();
  const { totalCount: count, isTotalCountExact } = keys;
  const create = !deactivated && <Link href={`/api-keys?agent=${agent.id}&create=yes`}>Create API key</Link>;
  return (
    <Card
      title="Active API keys"
      aside={
        <span className={styles.links}>
          {count > 0 && create}
          <Link href={`/api-keys?agent=${agent.id}`}>
            View all{count > 0 && ` (${formatCount(count, isTotalCountExact)} active)`}
          </Link>
        </span>
      }
    >
      {count === 0 ? (
        <Empty title="No active API keys">
          <p>Your apps need one to act as {agent.name}.</p>
          {create}
        </Empty>
      ) : (
        <DataTable
          label="Active API keys"
          columns={KEY_COLUMNS}
          rows={keys.nodes}
          cells={({ id, name, hint, lastUsedAt }) => [
            <RowLink key="name" href={`/api-keys/${id}`}>
              {name}
            </RowLink>,
            <code key="hint">{hint}</code>,
            lastUsedAt === null ? "Never" : <Time key="used" value={lastUsedAt} />,
          ]}
        />
      )}
    </Card>
  );
}

const LINE_COLUMNS = columnsOf("Line", "Kind", "Address", "Status");

function Lines({ agent, lines }: { agent: Agent; lines: AgentSetupQuery["lines"] }) {
  return (
    <Card title="Lines" aside={<Link href={`/lines?agent=${agent.id}`}>Manage lines</Link>}>
      <DataTable
        label="Lines"
        columns={LINE_COLUMNS}
        rows={lines}
        cells={({ id, name, kind, address, state, fault, isDefault }) => [
          <span key="name" className={styles.links}>
            <RowLink href={`/lines/${id}?agent=${agent.id}`}>{name}</RowLink>
            {isDefault && <Tag tone="plain">Default</Tag>}
          </span>,
          KINDS[kind]?.label ?? kind,
          address ?? "–",
          <LineTag key="state" state={state} fault={fault} />,
        ]}
      />
    </Card>
  );
}

function LiveConfiguration(props: {
  agent: Agent;
  version: AgentSetupQuery["configurationVersions"]["nodes"][number] | undefined;
}) {
  const { agent, version } = props;
  const { nameOfActor } = useMembers();
  return (
    <Card
      title="Configuration"
      aside={<Link href={`/configuration?agent=${agent.id}`}>Open configuration</Link>}
    >
      {version && (
        <Facts
          facts={{
            "Live version": version.version,
            Published: (
              <>
                <Time value={version.publishedAt} /> by {nameOfActor(version.publishedBy)}
              </>
            ),
            Note: version.note,
          }}
        />
      )}
    </Card>
  );
}
