import { type Timestamp, timestamp } from "../../common/time";
import { LineState } from "../lines/line.entity";
import { WebhookDeliveryState } from "../webhooks/webhook-delivery.entity";
import { WebhookDisabledReason, WebhookEndpointState } from "../webhooks/webhook-endpoint.entity";
import { KNOWN_DATABASE_ID } from "./known-database.entity";

/** Number of positions that a restored database skips: far more than an agent's events since any backup. */
const LEFT_OUT = 1_000_000_000;

/** Skips all positions that followers of a restored database may have seen, so that none is reused. */
export const MOVE_RESTORED_POSITIONS = {
  table: "agent_stream",
  statement: `UPDATE agent_stream SET last = last + ${LEFT_OUT}`,
};

/** Disables endpoints and cancels their pending deliveries, which may have been sent since the backup. */
export const disableRestoredEndpoints = (now: Timestamp) => [
  {
    table: "webhook_endpoint",
    statement: `UPDATE webhook_endpoint SET state = '${WebhookEndpointState.disabled}', disabled_reason = '${WebhookDisabledReason.restored}',
        updated_at = '${now}'
      WHERE state = '${WebhookEndpointState.active}'`,
  },
  {
    table: "webhook_delivery",
    statement: `UPDATE webhook_delivery SET state = '${WebhookDeliveryState.canceled}', not_before = NULL
      WHERE state = '${WebhookDeliveryState.pending}'`,
  },
];

/**
 * Returns the changes that prevent a restored database from resending anything that may have been sent since
 * the backup.
 * @returns statements that work on either engine, each with the table that it changes
 */
export const restoreSteps = (now = timestamp()) => [
  {
    table: "line",
    statement: `UPDATE line SET state = '${LineState.paused}', paused_reason = 'restored from a backup', version = version + 1
      WHERE state = '${LineState.active}'`,
  },
  MOVE_RESTORED_POSITIONS,
  ...disableRestoredEndpoints(now),
  { table: "handoff_notice", statement: "DELETE FROM handoff_notice WHERE sent_at IS NULL" },
  {
    table: "known_database",
    statement: `INSERT INTO known_database (id, restored_at) VALUES (${KNOWN_DATABASE_ID}, '${now}')
      ON CONFLICT (id) DO UPDATE SET restored_at = excluded.restored_at`,
  },
];
