import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useListAddress } from "../ui/list-address";
import { Empty } from "../ui/page";
import { useAgents } from "./use-agents";

/**
 * The empty state of a list of an agent's items. If there are several agents, names the agent and links to
 * the others.
 * @param of plural noun for the missing items
 * @param agentId null if the list shows all agents' items
 * @param elsewhere links to the other agents; defaults to a button that shows all agents' items
 */
export function NoneYet(props: {
  of: string;
  agentId: string | null;
  elsewhere?: ReactNode;
  children?: ReactNode;
}) {
  const address = useListAddress();
  const agents = useAgents().data?.agents ?? [];
  const agent = agents.length > 1 && agents.find(({ id }) => id === props.agentId);
  if (!agent) return <Empty title={`No ${props.of} yet`}>{props.children}</Empty>;
  const {
    elsewhere = (
      <Button variant="default" size="xs" onClick={() => address.filter({ agent: "" })}>
        Show all agents
      </Button>
    ),
  } = props;
  return (
    <Empty
      title={
        <>
          <bdi>{agent.name}</bdi> has no {props.of} yet
        </>
      }
    >
      {props.children}
      {elsewhere}
    </Empty>
  );
}
