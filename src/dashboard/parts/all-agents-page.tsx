import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import { useListAddress } from "../ui/list-address";
import { Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { Sliced } from "../ui/sliced";
import { labelOf } from "./agent-label";
import { useAgents } from "./use-agents";

/** The agents whose items a page shows. */
export interface ShownAgents {
  /** The selected agent; null for all. */
  agentId: string | null;
  /** The agents as select options; empty until they are loaded. */
  shown: readonly { value: string; label: string }[];
  /** The only agent whose items are shown; null if there are several, or none yet. */
  onlyAgentId: string | null;
  severalAgents: boolean;
}

/**
 * A page for all agents of the organization, or for the agent in the URL (`?agent=`).
 * @param dropped names of the filters to clear when another agent is selected
 * @param actions buttons beside the title
 */
export function AllAgentsPage(props: {
  title: string;
  section: ReactNode;
  lead: ReactNode;
  dropped: readonly string[];
  actions?: (agents: ShownAgents) => ReactNode;
  children: (agents: ShownAgents) => ReactNode;
}) {
  const address = useListAddress();
  const agents = useAgents().data?.agents ?? [];
  const wanted = address.get("agent");
  // Trusts the URL until the agents are loaded, then ignores a deleted agent.
  const isKnown = agents.length === 0 || agents.some(({ id }) => id === wanted);
  const agentId = wanted !== "" && isKnown ? wanted : null;
  const options = agents.map((each) => ({ value: each.id, label: labelOf(each, agents) }));
  const shown = agentId === null ? options : options.filter(({ value }) => value === agentId);
  const severalAgents = shown.length > 1;
  const result = {
    agentId,
    shown,
    severalAgents,
    onlyAgentId: severalAgents ? null : (shown[0]?.value ?? null),
  };
  return (
    <Page
      section={props.section}
      title={props.title}
      lead={props.lead}
      actions={
        <>
          {(options.length > 1 || wanted !== "") && (
            <NativeSelect
              className={`${pageStyles.choice} ${pageStyles.corner}`}
              aria-label="Agent"
              data={[{ value: "", label: "All agents" }, ...options]}
              value={agentId ?? ""}
              onChange={({ currentTarget }) =>
                address.filter({
                  ...Object.fromEntries(props.dropped.map((name) => [name, ""])),
                  agent: currentTarget.value,
                })
              }
            />
          )}
          {props.actions?.(result)}
        </>
      }
    >
      <Sliced>{() => props.children(result)}</Sliced>
    </Page>
  );
}
