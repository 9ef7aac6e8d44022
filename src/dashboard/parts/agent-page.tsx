import { NativeSelect } from "@mantine/core";
import { type ReactNode, useLayoutEffect } from "react";
import { Link, useSearchParams } from "wouter";
import { Failure } from "../ui/failure";
import { Empty, LoadingPage, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Sliced } from "../ui/sliced";
import { labelOf } from "./agent-label";
import type { AgentsQuery } from "./documents.generated";
import { NoSuchAgent } from "./no-such-agent";
import { useAgents } from "./use-agents";

export type Agent = AgentsQuery["agents"][number];

/** ID of the last selected agent, shared by all pages about agents. */
let lastAgent = "";

/**
 * A page for one of the organization's agents, identified in the URL (`?agent=`) or, without an ID there, the last
 * selected one. If there are several agents, a select next to the title switches between them.
 * @param actions buttons beside the title
 */
export function AgentPage(props: {
  title: string;
  section?: ReactNode;
  lead?: ReactNode;
  actions?: (agent: Agent) => ReactNode;
  children: (agent: Agent) => ReactNode;
}) {
  const { title, section, lead } = props;
  const [params, setParams] = useSearchParams();
  const { data, error, refetch } = useAgents();
  const agents = data?.agents;
  const page = { title, section, lead };
  if (agents === undefined) {
    if (error === null) return <LoadingPage {...page} />;
    return (
      <Page {...page}>
        <Failure error={error} retry={refetch} />
      </Page>
    );
  }
  const named = params.get("agent") ?? "";
  const wanted = agents.find(({ id }) => id === (named || lastAgent));
  // Another agent must not take the place of the named one, because its configuration could be edited by mistake.
  const agent = wanted ?? (named === "" ? agents[0] : undefined);
  if (agent === undefined) {
    return (
      <Page {...page}>
        {named === "" ? (
          <Empty title="No agents yet">
            <p>
              Create one on the <Link href="/agents">Agents</Link> page.
            </p>
          </Empty>
        ) : (
          <NoSuchAgent />
        )}
      </Page>
    );
  }
  lastAgent = agent.id;
  if (named !== agent.id && agents.length > 1) return <Chosen agent={agent} page={page} />;
  const choose = (id: string) => {
    lastAgent = id;
    // Drops filters and cursors, because they apply to the previous agent.
    setParams({ agent: id });
  };
  return (
    <Page
      {...page}
      actions={
        <>
          {agents.length > 1 && (
            <NativeSelect
              className={pageStyles.choice}
              aria-label="Agent"
              data={agents.map((each) => ({ value: each.id, label: labelOf(each, agents) }))}
              value={agent.id}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
            />
          )}
          {props.actions?.(agent)}
        </>
      }
    >
      <Sliced>{() => props.children(agent)}</Sliced>
    </Page>
  );
}

/** Adds the selected agent to the URL, so that reloads and the browser's Back button preserve the selection. */
function Chosen(props: { agent: Agent; page: { title: string; section?: ReactNode; lead?: ReactNode } }) {
  const { agent, page } = props;
  const [, setParams] = useSearchParams();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per agent
  useLayoutEffect(() => {
    setParams(
      (now) => {
        now.set("agent", agent.id);
        return now;
      },
      { replace: true },
    );
  }, [agent.id]);
  return <LoadingPage {...page} />;
}
