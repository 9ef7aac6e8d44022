import { useState } from "react";
import { usePolledQuery } from "../api/client";
import { FilterSelect } from "../ui/filter-select";
import filterStyles from "../ui/filters.module.css";
import { formatNumber, Time } from "../ui/format";
import { List, PAGE_SIZE } from "../ui/list";
import { useListAddress } from "../ui/list-address";
import { loaded } from "../ui/loaded";
import { Card, Empty } from "../ui/page";
import { columnsOf } from "../ui/table";
import { DeliveryResponse, DeliveryState, STATE_OPTIONS } from "./delivery-state";
import { WebhookDeliveriesDocument } from "./documents.generated";
import { EVENT_TYPES, eventTypeLabel } from "./event-types";
import styles from "./webhooks.module.css";

const { component: DeliveryDialog } = loaded(async () => (await import("./delivery")).DeliveryDialog);

const COLUMNS = columnsOf(
  "Event",
  "Status",
  { heading: "Attempts", isNumeric: true },
  "Last response",
  "Created",
);

/** Event deliveries, newest first; the URL can open one of them by its event's ID. */
export function Deliveries({ endpointId, canResend }: { endpointId: string; canResend: boolean }) {
  const address = useListAddress();
  const [chosen, choose] = useState<string>();
  const opened = chosen ?? address.get("event");
  const query = usePolledQuery(
    WebhookDeliveriesDocument,
    {
      endpointId,
      first: PAGE_SIZE,
      after: address.after,
      state: address.oneOf("state", STATE_OPTIONS) || null,
      type: address.oneOf("type", EVENT_TYPES) || null,
    },
    { pollMs: 30_000 },
  );
  const close = () => {
    choose(undefined);
    if (address.get("event") !== "") address.filter({ event: "" }, { replace: true });
  };
  return (
    <Card title="Deliveries">
      <search className={filterStyles.filters}>
        <FilterSelect name="state" label="Status" all="All statuses" options={STATE_OPTIONS} />
        <FilterSelect name="type" label="Event" all="All events" options={EVENT_TYPES} />
      </search>
      <List
        label="Deliveries"
        columns={COLUMNS}
        query={query}
        connection={query.data?.webhookDeliveries}
        filters={["state", "type"]}
        empty={
          <Empty title="No deliveries yet">
            <p>
              Send a test event to try out your receiver (tests are not listed here), or wait for the next
              event.
            </p>
          </Empty>
        }
        cells={(delivery) => [
          <button key="type" type="button" className={styles.open} onClick={() => choose(delivery.eventId)}>
            <code>{eventTypeLabel(delivery.type)}</code>
          </button>,
          <DeliveryState key="state" delivery={delivery} />,
          formatNumber(delivery.attempts),
          <DeliveryResponse key="response" delivery={delivery} />,
          <Time key="created" value={delivery.createdAt} />,
        ]}
      />
      {opened !== "" && (
        <DeliveryDialog
          endpointId={endpointId}
          eventId={opened}
          canResend={canResend}
          onOpen={choose}
          onClosed={close}
        />
      )}
    </Card>
  );
}
