import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useLocation } from "wouter";
import { usePolledQuery } from "../api/client";
import { labelOf } from "../parts/agent-label";
import { useAgents } from "../parts/use-agents";
import { useViewer } from "../session/session";
import { Icon } from "../ui/icon";
import { List, onePage } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Name } from "../ui/name";
import { Empty, Page } from "../ui/page";
import pageStyles from "../ui/page.module.css";
import { RowLink } from "../ui/row-link";
import { columnsOf } from "../ui/table";
import { type EventType, WebhookEndpointsDocument } from "./documents.generated";
import { EndpointState } from "./endpoint-state";
import { eventTypeLabel } from "./event-types";
import styles from "./webhooks.module.css";

const { component: CreateEndpoint } = loaded(async () => (await import("./create-endpoint")).CreateEndpoint);

const COLUMNS = columnsOf("URL", "Agent", "Events", "Status");

/** Returns a summary of the event types that an endpoint receives. */
function typesLabel(types: readonly EventType[] | null): string {
  if (types === null) return "All";
  const [only, ...others] = types;
  return only !== undefined && others.length === 0 ? eventTypeLabel(only) : `${types.length} types`;
}

export function Webhooks() {
  const { deactivated } = useViewer();
  const address = useListAddress();
  const [, navigate] = useLocation();
  const query = usePolledQuery(WebhookEndpointsDocument, {}, { pollMs: 15_000 });
  const agents = useAgents().data?.agents;
  const nameOf = (agentId: string | null) => {
    const agent = agents?.find(({ id }) => id === agentId);
    if (agentId === null) return "All agents";
    return agents && agent ? labelOf(agent, agents) : "–";
  };
  const create = () => address.filter({ create: "yes" });
  return (
    <Page
      section="Build"
      title="Webhooks"
      lead="We post events to your URLs as they happen, signed and in order, and retry failed deliveries."
      actions={
        <Button leftSection={<Icon of={IconPlus} size={16} />} disabled={deactivated} onClick={create}>
          Create webhook
        </Button>
      }
    >
      <div className={pageStyles.card}>
        <List
          label="Webhooks"
          columns={COLUMNS}
          query={query}
          connection={onePage(query.data?.webhookEndpoints)}
          empty={
            <Empty title="No webhooks yet">
              <p>Get messages, decisions and contacts in your CRM or data warehouse.</p>
              <Button size="xs" disabled={deactivated} onClick={create}>
                Create your first webhook
              </Button>
            </Empty>
          }
          cells={(endpoint) => [
            <div key="url">
              <RowLink href={`/webhooks/${endpoint.id}`}>{endpoint.url}</RowLink>
              {endpoint.description !== null && (
                <p className={pageStyles.second}>
                  <Name>{endpoint.description}</Name>
                </p>
              )}
            </div>,
            nameOf(endpoint.agentId),
            <span key="events" className={styles.events}>
              {typesLabel(endpoint.types)}
            </span>,
            <EndpointState key="state" endpoint={endpoint} />,
          ]}
        />
      </div>
      {address.get("create") !== "" && !deactivated && agents !== undefined && (
        <CreateEndpoint
          agents={agents}
          onCreated={(id) => navigate(`/webhooks/${id}`, { replace: true })}
          onClosed={() => address.filter({ create: "" }, { replace: true })}
        />
      )}
    </Page>
  );
}
