import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "wouter";
import { usePolledQuery } from "../api/client";
import { labelOf } from "../parts/agent-label";
import { useAgents } from "../parts/use-agents";
import { useViewer } from "../session/session";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { loaded } from "../ui/loaded";
import type { MenuAction } from "../ui/menu-button";
import { Card, Empty, LoadingPage, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowMenu } from "../ui/row-menu";
import { withoutScheme } from "../ui/url";
import { Deliveries } from "./deliveries";
import { WebhookEndpointDocument, type WebhookEndpointQuery } from "./documents.generated";
import type { EndpointAction } from "./endpoint-dialogs";
import { EndpointState } from "./endpoint-state";
import { eventTypeLabel } from "./event-types";

const { component: EndpointDialog } = loaded(async () => (await import("./endpoint-dialogs")).EndpointDialog);

/** One webhook endpoint and the log of its deliveries. */
export function WebhookDetail() {
  const { id } = useParams<{ id: string }>();
  const query = usePolledQuery(WebhookEndpointDocument, { id }, { pollMs: 30_000 });
  const endpoint = query.data?.webhookEndpoint;
  const section = <Link href="/webhooks">Webhooks</Link>;
  if (endpoint) {
    return (
      <Page title={withoutScheme(endpoint.url)} section={section}>
        <Content endpoint={endpoint} />
      </Page>
    );
  }
  if (endpoint === undefined && query.error === null) {
    return <LoadingPage title="Webhook" section="Webhooks" />;
  }
  return (
    <Page title="Webhook" section={section}>
      {endpoint === undefined ? (
        <Failure error={query.error} retry={query.refetch} />
      ) : (
        <Empty title="This webhook doesn’t exist">
          <p>
            It may have been deleted. <Link href="/webhooks">See all webhooks</Link>
          </p>
        </Empty>
      )}
    </Page>
  );
}

type Endpoint = NonNullable<WebhookEndpointQuery["webhookEndpoint"]>;

function Content({ endpoint }: { endpoint: Endpoint }) {
  const { deactivated } = useViewer();
  const agents = useAgents().data?.agents ?? [];
  const agent = agents.find(({ id }) => id === endpoint.agentId);
  const [action, setAction] = useState<EndpointAction>();
  const isActive = endpoint.state === "active";
  const item = (name: EndpointAction, label: string, more: Partial<MenuAction> = {}): MenuAction => ({
    label,
    disabled: deactivated,
    onClick: () => setAction(name),
    ...more,
  });
  return (
    <>
      <Card
        title="Settings"
        aside={
          <span className={pageStyles.actions}>
            <Button variant="default" size="xs" disabled={deactivated} onClick={() => setAction("test")}>
              Send test event…
            </Button>
            <RowMenu
              of="the webhook"
              actions={[
                item("edit", "Edit…"),
                item("redeliver", "Redeliver…", { disabled: deactivated || !isActive }),
                item("rotate", "Rotate signing secret…"),
                isActive ? item("disable", "Disable…") : item("enable", "Enable…"),
                item("delete", "Delete…", { isDestructive: true }),
              ]}
            />
          </span>
        }
      >
        <Facts
          facts={{
            URL: endpoint.url,
            Description: endpoint.description,
            Status: <EndpointState endpoint={endpoint} />,
            Agent:
              endpoint.agentId === null ? (
                "All agents"
              ) : (
                <Link href={`/agents/${endpoint.agentId}`}>
                  {agent ? labelOf(agent, agents) : "One agent"}
                </Link>
              ),
            Events: endpoint.types?.map(eventTypeLabel).join(", ") ?? "All",
            ID: <code>{endpoint.id}</code>,
            "Previous secret": endpoint.previousSecretUntil !== null && (
              <>
                Expires <Time value={endpoint.previousSecretUntil} />
              </>
            ),
            Created: <Time value={endpoint.createdAt} />,
          }}
        />
      </Card>
      <Deliveries endpointId={endpoint.id} canResend={isActive && !deactivated} />
      {action && <EndpointDialog action={action} endpoint={endpoint} onClosed={() => setAction(undefined)} />}
    </>
  );
}
