import { Button } from "@mantine/core";
import { usePolledQuery } from "../api/client";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Facts } from "../ui/facts";
import { formatNumber, Time } from "../ui/format";
import { Result } from "../ui/result";
import { DeliveryResponse, DeliveryState } from "./delivery-state";
import { WebhookDeliveryDocument, type WebhookDeliveryQuery } from "./documents.generated";
import { eventTypeLabel } from "./event-types";

const POLL_INTERVAL_MS = 5_000;

type Details = WebhookDeliveryQuery["webhookDeliveries"]["nodes"][number];

/** The delivery of one event to an endpoint, updated while it is open. */
export function DeliveryDialog(props: { endpointId: string; eventId: string; onClosed: () => void }) {
  const { endpointId, eventId } = props;
  const query = usePolledQuery(
    WebhookDeliveryDocument,
    { endpointId, eventId },
    { pollMs: POLL_INTERVAL_MS },
  );
  return (
    <Dialog title="Delivery" onClosed={props.onClosed}>
      {(close) => (
        <>
          <Result query={query}>
            {({ webhookDeliveries: { nodes } }) =>
              nodes[0] === undefined ? (
                <p>This delivery is no longer in the log.</p>
              ) : (
                <About delivery={nodes[0]} />
              )
            }
          </Result>
          <DialogButtons>
            <Button data-autofocus onClick={close}>
              Close
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}

const About = ({ delivery }: { delivery: Details }) => (
  <Facts
    facts={{
      Event: <code>{eventTypeLabel(delivery.type)}</code>,
      Subject: <code>{delivery.subject}</code>,
      Status: <DeliveryState delivery={delivery} />,
      Attempts: formatNumber(delivery.attempts),
      "Last response": <DeliveryResponse delivery={delivery} />,
      "Last duration":
        delivery.lastDurationMs === null ? undefined : `${formatNumber(delivery.lastDurationMs)} ms`,
      Created: <Time value={delivery.createdAt} />,
      Delivered: delivery.deliveredAt === null ? undefined : <Time value={delivery.deliveredAt} />,
      Position: <code>{delivery.position}</code>,
      "Event ID": <code>{delivery.eventId}</code>,
    }}
  />
);
