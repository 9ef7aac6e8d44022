import { Button } from "@mantine/core";
import { Link } from "wouter";
import { change, usePolledQuery } from "../api/client";
import { AskForPermission } from "../members/managers";
import { useViewer } from "../session/session";
import { AttemptList } from "../ui/attempt-list";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Facts } from "../ui/facts";
import { Failure } from "../ui/failure";
import { Time } from "../ui/format";
import { Json } from "../ui/json";
import pageStyles from "../ui/page.module.css";
import { Result } from "../ui/result";
import { Snippet } from "../ui/snippet";
import { subjectHref } from "../ui/subject-href";
import { Tag } from "../ui/tag";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { DeliveryState } from "./delivery-state";
import {
  ResendWebhookDeliveryDocument,
  WebhookDeliveryDocument,
  type WebhookDeliveryQuery,
} from "./documents.generated";
import { eventTypeLabel } from "./event-types";
import styles from "./webhooks.module.css";

type Details = WebhookDeliveryQuery["webhookDeliveries"]["nodes"][number];

interface Props {
  endpointId: string;
  eventId: string;
  /** False while the endpoint receives no events. */
  canResend: boolean;
  /** Called to show the delivery of another event. */
  onOpen: (eventId: string) => void;
  onClosed: () => void;
}

/** A dialog about the delivery of one event to an endpoint, updated while it is open. */
export function DeliveryDialog({ endpointId, eventId, canResend, onOpen, onClosed }: Props) {
  const { may } = useViewer();
  const mayReadBody = may("conversations_read");
  const query = usePolledQuery(WebhookDeliveryDocument, { endpointId, eventId, mayReadBody });
  const { busy, error, run } = useTask();
  const delivery = query.data?.webhookDeliveries.nodes[0];
  const resend = (id: string) =>
    run(async () => {
      const { resendWebhookDelivery } = await change(ResendWebhookDeliveryDocument, { id });
      toast(
        resendWebhookDelivery.waitsFor === null
          ? "The event is being sent again."
          : "The event will be sent again after an earlier event with the same subject.",
      );
    });
  return (
    <Dialog title="Delivery" size="lg" onClosed={onClosed}>
      {(close) => (
        <>
          <Result query={query}>
            {() =>
              delivery === undefined ? (
                <p>This delivery is no longer in the log.</p>
              ) : (
                <>
                  <About delivery={delivery} onOpen={onOpen} />
                  <Attempts attempts={delivery.lastAttempts} />
                  <Body body={mayReadBody ? (delivery.body ?? null) : undefined} />
                </>
              )
            }
          </Result>
          {error !== undefined && <Failure error={error} />}
          <DialogButtons>
            <Button variant="default" data-autofocus onClick={close}>
              Close
            </Button>
            {delivery !== undefined && (
              <Button
                loading={busy}
                disabled={!canResend || delivery.waitsFor !== null}
                onClick={() => resend(delivery.id)}
              >
                {delivery.state === "pending" ? "Send now" : "Send this one again"}
              </Button>
            )}
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}

function About({ delivery, onOpen }: { delivery: Details; onOpen: Props["onOpen"] }) {
  const { waitsFor, subject } = delivery;
  const href = subjectHref(subject);
  return (
    <Facts
      facts={{
        Event: <code>{eventTypeLabel(delivery.type)}</code>,
        Subject: href === undefined ? <code>{subject}</code> : <Link href={href}>{subject}</Link>,
        Status: <DeliveryState delivery={delivery} />,
        "Waits for": waitsFor !== null && (
          <button type="button" className={styles.open} onClick={() => onOpen(waitsFor)}>
            <code>{waitsFor}</code>
          </button>
        ),
        Created: <Time value={delivery.createdAt} />,
        Delivered: delivery.deliveredAt !== null && <Time value={delivery.deliveredAt} />,
        Position: <code>{delivery.position}</code>,
        "Event ID": <code>{delivery.eventId}</code>,
      }}
    />
  );
}

const Attempts = ({ attempts }: { attempts: Details["lastAttempts"] }) => (
  <section className={styles.part}>
    <h3>Attempts</h3>
    {attempts.length === 0 ? (
      <p className={pageStyles.second}>No attempts yet, or they are no longer stored.</p>
    ) : (
      <AttemptList
        attempts={attempts.map(({ endedAt, status, error, durationMs, headers }) => ({
          key: endedAt,
          state: <Tag tone={error === null ? "good" : "bad"}>{status ?? "No response"}</Tag>,
          at: endedAt,
          tookMs: durationMs,
          detail: error,
          more: headers !== null && <Json label="Headers" value={headers} />,
        }))}
      />
    )}
  </section>
);

/** @param props.body null if the event is no longer retained; undefined if the member may not read it */
const Body = ({ body }: { body: string | null | undefined }) => (
  <section className={styles.part}>
    <h3>Body</h3>
    {body === undefined && (
      <p className={pageStyles.second}>
        You cannot see what was sent. <AskForPermission permission="conversations_read" />
      </p>
    )}
    {body === null && <p className={pageStyles.second}>The event is no longer kept.</p>}
    {typeof body === "string" && <Snippet text={body} what="the body" />}
  </section>
);
