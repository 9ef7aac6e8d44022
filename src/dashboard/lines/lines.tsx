import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { usePolledQuery } from "../api/client";
import { type Agent, AgentPage } from "../parts/agent-page";
import { NoneYet } from "../parts/none-yet";
import { useViewer } from "../session/session";
import { formatNumber } from "../ui/format";
import { Icon } from "../ui/icon";
import { List, onePage } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { RowMenu } from "../ui/row-menu";
import { ACTIONS, columnsOf } from "../ui/table";
import { Tag } from "../ui/tag";
import { withoutScheme } from "../ui/url";
import { LinesDocument } from "./documents.generated";
import { type LineAction, lineActions } from "./line-actions";
import { KINDS } from "./line-kinds";
import { LineState } from "./line-state";
import styles from "./lines.module.css";

const { component: CreateLine } = loaded(async () => (await import("./create-line")).CreateLine);
const { component: LineDialog } = loaded(async () => (await import("./line-dialogs")).LineDialog);

/** The lines that an agent sends messages from. */
export function Lines() {
  const { deactivated } = useViewer();
  const address = useListAddress();
  return (
    <AgentPage
      section="Build"
      title="Lines"
      lead="Agents send messages from lines: on this server, through your own bridge to SMS or chat, or by e-mail."
      actions={() => (
        <Button
          leftSection={<Icon of={IconPlus} size={16} />}
          disabled={deactivated}
          onClick={() => address.filter({ create: "yes" })}
        >
          Create line
        </Button>
      )}
    >
      {(agent) => <LineList key={agent.id} agent={agent} />}
    </AgentPage>
  );
}

const COLUMNS = columnsOf(
  "Name",
  "Kind",
  "Address",
  "Status",
  { heading: "Max per minute", isNumeric: true },
  ACTIONS,
);

function LineList({ agent }: { agent: Agent }) {
  const { deactivated } = useViewer();
  const address = useListAddress();
  const [, navigate] = useLocation();
  const [task, setTask] = useState<{ action: LineAction; id: string }>();
  const query = usePolledQuery(LinesDocument, { agentId: agent.id }, { pollMs: 15_000 });
  const lines = query.data?.lines;
  const chosen = task && lines?.find(({ id }) => id === task.id);
  const hrefOf = (id: string) => `/lines/${id}?agent=${agent.id}`;
  return (
    <>
      <div className={pageStyles.card}>
        <List
          label="Lines"
          columns={COLUMNS}
          query={query}
          connection={onePage(lines)}
          empty={<NoneYet of="lines" agentId={agent.id} elsewhere={null} />}
          cells={(line) => [
            <span key="name" className={styles.name}>
              <RowLink href={hrefOf(line.id)}>{line.name}</RowLink>
              {line.isDefault && <Tag tone="plain">Default</Tag>}
            </span>,
            KINDS[line.kind]?.label ?? line.kind,
            line.webhook === null ? (line.address ?? "–") : withoutScheme(line.webhook.url),
            <LineState key="state" line={line} />,
            line.ratePerMinute === null ? "No limit" : formatNumber(line.ratePerMinute),
            <RowMenu
              key="menu"
              of={line.name}
              actions={lineActions(line, (action) => setTask({ action, id: line.id }), deactivated)}
            />,
          ]}
        />
      </div>
      {address.get("create") !== "" && !deactivated && (
        <CreateLine
          agent={agent}
          onCreated={(id) => navigate(hrefOf(id), { replace: true })}
          onClosed={() => address.filter({ create: "" }, { replace: true })}
        />
      )}
      {task && chosen && (
        <LineDialog action={task.action} line={chosen} onClosed={() => setTask(undefined)} />
      )}
    </>
  );
}
