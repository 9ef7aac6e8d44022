import { Button, NativeSelect, TextInput } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { sentenceOf } from "../api/api-error";
import { change, usePolledQuery } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { showSecret } from "../secrets/shown-secret";
import "../secrets/secret-dialog";
import { Dialog, DialogButtons } from "../ui/dialog";
import dialogStyles from "../ui/dialog.module.css";
import { Failure } from "../ui/failure";
import { FormDialog } from "../ui/form-dialog";
import { formatCount, formatNumber } from "../ui/format";
import { Outcome } from "../ui/outcome";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import { EditEndpoint } from "./create-endpoint";
import {
  DeleteWebhookEndpointDocument,
  DisableWebhookEndpointDocument,
  EnableWebhookEndpointDocument,
  type EndpointFragment,
  MissedWebhookEventsDocument,
  type MissedWebhookEventsQuery,
  RedeliverDocument,
  RotateWebhookSecretDocument,
  SendTestEventDocument,
  type SendTestEventMutation,
} from "./documents.generated";

type Props = { endpoint: EndpointFragment; onClosed: () => void };

const TestEndpoint = ({ endpoint, onClosed }: Props) => (
  <Dialog title="Send a test event" onClosed={onClosed}>
    {(close) => <Test id={endpoint.id} close={close} />}
  </Dialog>
);

function Test({ id, close }: { id: string; close: () => void }) {
  const { busy, error, run } = useTask();
  const [result, setResult] = useState<SendTestEventMutation["sendTestEvent"]>();
  const send = () => {
    setResult(undefined);
    return run(async () => setResult((await change(SendTestEventDocument, { id })).sendTestEvent));
  };
  return (
    <div className={dialogStyles.form}>
      <p>
        Posts a <code>webhook.test</code> event now, even if the webhook is disabled. The event does not
        appear in any log.
      </p>
      <div role="status">
        {result && (
          <Outcome
            outcome={result.outcome}
            detail={`${result.detail} It took ${formatNumber(result.durationMs)} ms.`}
          />
        )}
      </div>
      {error !== undefined && <Failure error={error} />}
      <DialogButtons>
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <Button loading={busy} onClick={send} data-autofocus>
          {result ? "Send again" : "Send test event"}
        </Button>
      </DialogButtons>
    </div>
  );
}

const HOUR_MS = 60 * 60 * 1000;

const PERIODS = [
  { value: "1", label: "The last hour" },
  { value: "24", label: "The last 24 hours" },
  { value: "168", label: "The last 7 days" },
  { value: "time", label: "Custom time…" },
];

function Redeliver({ endpoint, onClosed }: Props) {
  const [period, setPeriod] = useState("24");
  const [time, setTime] = useState("");
  const [openedAt] = useState(Date.now);
  const since = period === "time" ? new Date(time) : new Date(openedAt - Number(period) * HOUR_MS);
  const isBeforeCreation = since < new Date(endpoint.createdAt);
  const isKnown = !Number.isNaN(since.getTime());
  const missed = usePolledQuery(
    MissedWebhookEventsDocument,
    { id: endpoint.id, since: isKnown ? since.toISOString() : "" },
    { enabled: isKnown, pollMs: 30_000 },
  );
  return (
    <FormDialog
      title="Redeliver events"
      submit="Redeliver"
      onSubmit={() => change(RedeliverDocument, { id: endpoint.id, since: since.toISOString() })}
      done="Events are being sent again."
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          <NativeSelect
            label="Since"
            data={PERIODS}
            value={period}
            onChange={(event) => setPeriod(event.currentTarget.value)}
            data-autofocus
          />
          {period === "time" && (
            <TextInput
              {...field("since")}
              type="datetime-local"
              label="From"
              required
              value={time}
              onChange={(event) => setTime(event.currentTarget.value)}
            />
          )}
          <p role="status">
            {isKnown && <Missed query={missed} />}
            {isBeforeCreation && " Events from before the webhook was created are included."}
          </p>
        </>
      )}
    </FormDialog>
  );
}

function Missed({ query }: { query: UseQueryResult<MissedWebhookEventsQuery> }) {
  if (query.error !== null) return sentenceOf(query.error, { polled: true });
  if (query.data === undefined || query.isPlaceholderData) return "Counting the missed events…";
  const { count, isExact } = query.data.missedWebhookEvents;
  if (count === 0 && isExact) return "No missed events. Delivered events are skipped.";
  const events = count === 1 && isExact ? "1 missed event" : `${formatCount(count, isExact)} missed events`;
  return `Resends ${events}, oldest first. Delivered events are skipped.`;
}

function RotateSecret({ endpoint, onClosed }: Props) {
  const keyOf = useIdempotencyKey();
  const submit = async () => {
    const { rotateWebhookSecret } = await change(
      RotateWebhookSecretDocument,
      { id: endpoint.id, idempotencyKey: keyOf(endpoint.id) },
      { waitUntilShown: false },
    );
    const secret = rotateWebhookSecret.signingSecret;
    // Only the first response contains the secret, and that response was lost.
    if (secret === null) toast("Rotated the signing secret. Rotate it again to see a new one.");
    else showSecret({ secret, title: "Signing secret rotated", name: endpoint.url, kind: "signing" });
  };
  return (
    <FormDialog
      title="Rotate the signing secret?"
      submit="Rotate secret"
      onSubmit={submit}
      onClosed={onClosed}
    >
      <p>
        We’ll create a new secret and show it only once. For 24 hours, events are also signed with the
        previous one, so your receiver can switch over.
      </p>
    </FormDialog>
  );
}

const Enable = ({ endpoint, onClosed }: Props) => (
  <FormDialog
    title="Enable the webhook?"
    submit="Enable"
    onSubmit={() => change(EnableWebhookEndpointDocument, { id: endpoint.id })}
    done="Enabled the webhook."
    onClosed={onClosed}
  >
    <p>It receives pending and future events. Use Redeliver for events missed while it was disabled.</p>
  </FormDialog>
);

const Disable = ({ endpoint, onClosed }: Props) => (
  <FormDialog
    title="Disable the webhook?"
    submit="Disable"
    isDestructive
    onSubmit={() => change(DisableWebhookEndpointDocument, { id: endpoint.id })}
    done="Disabled the webhook."
    onClosed={onClosed}
  >
    <p>Nothing is sent to the webhook until you enable it.</p>
  </FormDialog>
);

function Delete({ endpoint, onClosed }: Props) {
  const [, navigate] = useLocation();
  const submit = async () => {
    await change(DeleteWebhookEndpointDocument, { id: endpoint.id }, { waitUntilShown: false });
    toast("Deleted the webhook.");
    navigate("/webhooks");
  };
  return (
    <FormDialog
      title="Delete the webhook?"
      submit="Delete webhook"
      isDestructive
      onSubmit={submit}
      onClosed={onClosed}
    >
      <p>
        This deletes the webhook to {endpoint.url} and its delivery log. Pending events are not sent. This
        can’t be undone.
      </p>
    </FormDialog>
  );
}

/** The dialogs for managers' actions on an endpoint. */
const DIALOGS = {
  edit: EditEndpoint,
  test: TestEndpoint,
  redeliver: Redeliver,
  rotate: RotateSecret,
  enable: Enable,
  disable: Disable,
  delete: Delete,
};

export type EndpointAction = keyof typeof DIALOGS;

export function EndpointDialog({ action, ...props }: Props & { action: EndpointAction }) {
  const Action = DIALOGS[action];
  return <Action {...props} />;
}
