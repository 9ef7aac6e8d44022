import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link, useParams, useSearchParams } from "wouter";
import { usePolledQuery } from "../api/client";
import type { Agent } from "../parts/agent-page";
import { useAgents } from "../parts/use-agents";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { formatNumber, Time } from "../ui/format";
import { loaded } from "../ui/loaded";
import { Card, Empty, LoadingPage, Page } from "../ui/page";
import { RowMenu } from "../ui/row-menu";
import { Snippet } from "../ui/snippet";
import { LineDetailsDocument, type LineDetailsFragment, LineOwnersDocument } from "./documents.generated";
import { type LineAction, lineActions } from "./line-actions";
import { ADDRESS_KINDS, durationOf, KINDS, SECURITIES, WHEN_UNCERTAIN } from "./line-kinds";
import { LineMessages } from "./line-messages";
import { LineState } from "./line-state";
import styles from "./lines.module.css";

const { component: EditLine } = loaded(async () => (await import("./edit-line")).EditLine);
const { component: LineDialog } = loaded(async () => (await import("./line-dialogs")).LineDialog);

const POLL_INTERVAL_MS = 20_000;

/** One line: its settings and the URLs for inbound messages. Links to this page may omit the line's agent. */
export function LineDetail() {
  const { id } = useParams<{ id: string }>();
  const [params] = useSearchParams();
  const agents = useAgents();
  const named = params.get("agent");
  const owners = usePolledQuery(
    LineOwnersDocument,
    {},
    { enabled: named === null, pollMs: POLL_INTERVAL_MS },
  );
  const owner = owners.data?.agents.find(({ lines }) => lines?.some((line) => line.id === id));
  const agent = agents.data?.agents.find((each) => each.id === (named ?? owner?.id));
  const details = usePolledQuery(
    LineDetailsDocument,
    { agentId: agent?.id ?? "" },
    { enabled: agent !== undefined, pollMs: POLL_INTERVAL_MS },
  );
  const lines = details.data?.lines;
  const line = lines?.find((each) => each.id === id);
  const section = <Link href={agent ? `/lines?agent=${agent.id}` : "/lines"}>Lines</Link>;
  if (agent && line) return <Content agent={agent} line={line} section={section} />;
  const failed = [agents, owners, details].find(({ error }) => error !== null);
  const isAgentMissing = agents.data && (named !== null || owners.data) && agent === undefined;
  const isMissing = lines !== undefined || isAgentMissing;
  if (!failed && !isMissing) return <LoadingPage title="Line" section="Lines" />;
  return (
    <Page title="Line" section={section}>
      {isMissing ? (
        <Empty title={agent ? `${agent.name} has no such line` : "No such line"}>
          <Link href={agent ? `/lines?agent=${agent.id}` : "/lines"}>See all lines</Link>
        </Empty>
      ) : (
        <Failure error={failed?.error} {...(failed && { retry: failed.refetch })} />
      )}
    </Page>
  );
}

function Content({ agent, line, section }: { agent: Agent; line: LineDetailsFragment; section: ReactNode }) {
  const { deactivated } = useViewer();
  const [action, setAction] = useState<LineAction | "edit">();
  const onClosed = () => setAction(undefined);
  const [, ...others] = lineActions(line, setAction, deactivated);
  const edit = { label: "Edit…", disabled: deactivated, onClick: () => setAction("edit") };
  return (
    <Page title={line.name} section={section}>
      <Card
        title="Settings"
        aside={
          <span className={styles.name}>
            <Button variant="default" size="xs" disabled={deactivated} onClick={() => setAction("test")}>
              Send test message…
            </Button>
            {line.fault !== null && (
              <Button size="xs" disabled={edit.disabled} onClick={edit.onClick}>
                {edit.label}
              </Button>
            )}
            <RowMenu of={line.name} actions={line.fault === null ? [edit, ...others] : others} />
          </span>
        }
      >
        <Facts facts={{ Agent: <Link href={`/agents/${agent.id}`}>{agent.name}</Link>, ...factsOf(line) }} />
      </Card>
      <LineMessages lineId={line.id} agentId={agent.id} />
      <Inbound line={line} onCreate={() => setAction("rotate")} />
      {action === "edit" && <EditLine line={line} onClosed={onClosed} />}
      {action !== undefined && action !== "edit" && (
        <LineDialog action={action} line={line} onClosed={onClosed} />
      )}
    </Page>
  );
}

function factsOf(line: LineDetailsFragment) {
  const { webhook, email } = line;
  return {
    Status: <LineState line={line} />,
    Kind: KINDS[line.kind]?.label ?? line.kind,
    Default: line.isDefault ? "Yes, used if no other line is specified" : "No",
    ID: <code>{line.id}</code>,
    ...(webhook && { URL: webhook.url, "Sends to": ADDRESS_KINDS[webhook.addressKind] }),
    ...(email && {
      From: email.from,
      Subject: email.subject,
      "Mail server": `${email.host}:${email.port}`,
      Encryption: SECURITIES[email.security].replace(/ \(.*/, ""),
      "User name": email.user ?? "None",
      ...(email.listAddress !== null && { "Mailing list": email.listAddress }),
    }),
    "Max per minute": line.ratePerMinute === null ? "No limit" : formatNumber(line.ratePerMinute),
    "Expire after": durationOf(line.expireAfterSeconds),
    "If uncertain": WHEN_UNCERTAIN[line.whenUncertain],
    "Opt-out words": ["STOP", ...line.optOutWords].join(", "),
    "Opt-out reply": line.optOutReply ?? "None",
    "Signing secret":
      line.secretGeneration === 0 ? (
        "None"
      ) : line.previousSecretUntil === null ? (
        "Set"
      ) : (
        <>
          Rotated; the previous one expires <Time value={line.previousSecretUntil} />
        </>
      ),
    Created: <Time value={line.createdAt} />,
  };
}

function Inbound({ line, onCreate }: { line: LineDetailsFragment; onCreate: () => void }) {
  const { deactivated } = useViewer();
  const url = `${window.location.origin}/inbound/${line.id}`;
  return (
    <Card title="Receive messages">
      <div className={styles.panel}>
        <p className={styles.text}>
          Post messages from contacts to this URL, signed with the line’s signing secret according to Standard
          Webhooks.
        </p>
        {line.secretGeneration === 0 && (
          <Button size="xs" mb="sm" disabled={deactivated} onClick={onCreate}>
            Create signing secret…
          </Button>
        )}
        <Snippet what="the URL for messages" text={url} />
        <p className={styles.label}>Receipts: sent, delivered, read or failed</p>
        <Snippet what="the URL for receipts" text={`${url}/status`} />
      </div>
    </Card>
  );
}
