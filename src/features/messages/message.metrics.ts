import { AttemptOutcome } from "../../delivery/driver";
import type { WorkObserver } from "../../delivery/observer";
import { counter, type FeatureHistogram } from "../../telemetry/feature-metrics";
import { LineKind } from "../lines/line.entity";
import { MessageStatus } from "./message.enums";

export const MESSAGES = counter(
  "gateway_messages_total",
  "Message status changes in this process, by new status.",
  {
    status: Object.values(MessageStatus),
  },
);

export const ATTEMPTS = counter(
  "gateway_delivery_attempts_total",
  "Attempts to send a message, by line kind and outcome.",
  { kind: Object.values(LineKind), outcome: Object.values(AttemptOutcome) },
);

export const RECOVERIES = counter(
  "gateway_delivery_leases_recovered_total",
  "Messages taken over from processes that ended while sending them.",
);

export const DELIVERIES: FeatureHistogram = {
  type: "histogram",
  name: "gateway_message_delivery_duration_seconds",
  help: "Time between accepting and sending a message.",
  // The buckets range from messages sent immediately to messages sent shortly before they expire.
  bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 86_400],
};

/**
 * Observes sent messages' latency.
 * @param acceptedAt the time when each message was accepted
 */
export function observeSent(observer: WorkObserver, acceptedAt: readonly string[]): void {
  observer.observe(DELIVERIES, () => {
    const now = Date.now();
    // The clock of the process that accepted the message may be ahead.
    return acceptedAt.map((at) => Math.max(0, now - Date.parse(at)) / 1000);
  });
}
