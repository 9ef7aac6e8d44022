import { Time } from "../ui/format";
import { Name } from "../ui/name";
import pageStyles from "../ui/page.module.css";
import { StateTag } from "../ui/tag";
import type { DeliveryFragment, WebhookDeliveryState } from "./documents.generated";

const STATES = {
  pending: { label: "Pending", tone: "plain" },
  delivered: { label: "Delivered", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  canceled: { label: "Canceled", tone: "plain" },
} as const;

export const STATE_OPTIONS = Object.entries(STATES).map(([value, { label }]) => ({
  value: value as WebhookDeliveryState,
  label,
}));

export const DeliveryState = ({
  delivery: { state, notBefore, waitsFor },
}: {
  delivery: DeliveryFragment;
}) => (
  <div>
    <StateTag of={STATES} state={state} />
    {waitsFor !== null && <p className={pageStyles.second}>waits for an earlier event</p>}
    {state === "pending" && waitsFor === null && notBefore !== null && (
      <p className={pageStyles.second}>
        next attempt <Time value={notBefore} isDue />
      </p>
    )}
  </div>
);

/** Shows the endpoint's response to the last attempt. */
export const DeliveryResponse = ({
  delivery: { lastStatus, lastError, attempts },
}: {
  delivery: DeliveryFragment;
}) => (
  <div>
    {lastStatus ?? (attempts === 0 ? "–" : "No response")}
    {lastError !== null && (
      <p className={pageStyles.second}>
        <Name>{lastError}</Name>
      </p>
    )}
  </div>
);
