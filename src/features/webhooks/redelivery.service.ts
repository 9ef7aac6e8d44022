import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { DAY_MS, type Timestamp, timestamp, timestampOf } from "../../common/time";
import type { Config } from "../../config";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, InvalidInput } from "../../errors";
import { recordAudit } from "../audit/audit";
import { AgentStream } from "../events/agent-stream.entity";
import { Event } from "../events/event.entity";
import { EVENT_RETENTION } from "../events/event.limits";
import { lastPurged, positionOf } from "../events/event.service";
import { EVENTS_CHANNEL } from "../events/record-events";
import { requireEndpoint } from "./find-endpoint";
import { agentsOf } from "./follow";
import { auditTarget, webhookActions } from "./webhook.audit";
import type { RedeliverInput } from "./webhook.inputs";
import { type WebhookEndpoint, WebhookEndpointState } from "./webhook-endpoint.entity";

/** Redelivers events missed by endpoints. */
export class RedeliveryService {
  constructor(
    private readonly database: Database,
    private readonly config: Pick<Config, "retention">,
  ) {}

  /**
   * Resets an endpoint to a time or position: a dispatcher reads the events from there on, and creates deliveries for
   * events that have none or whose delivery was given up.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found`, `position_expired`, or `conflict` while the
   *   endpoint is disabled
   */
  redeliver(
    context: RequestContext,
    { id, from: { since, after } }: RedeliverInput,
  ): Promise<WebhookEndpoint> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      const endpoint = await requireEndpoint(tx, organizationOf(context), id);
      if (after != null && endpoint.agentId === null) {
        const message = "is allowed only for endpoints of a single agent";
        throw new InvalidInput([{ path: "input.from.after", message }]);
      }
      if (endpoint.state === WebhookEndpointState.disabled)
        throw new GatewayError("conflict", "The endpoint is disabled. Enable it first.");
      const time = since == null ? undefined : timestampOf(+since);
      for (const agentId of await agentsOf(tx, endpoint)) {
        const position = await startIn(tx, agentId, time ?? { after: after as string }, this.keptSince());
        await tx.query(
          "update webhook_cursor set position = $1 where endpoint_id = $2 and agent_id = $3 and position > $1",
          [String(position), id, agentId],
        );
      }
      const target = auditTarget(endpoint);
      await recordAudit(tx, context, webhookActions.webhook_redelivery_requested, target, {
        since: [null, time ?? null],
        after: [null, after ?? null],
      });
      tx.announce(EVENTS_CHANNEL);
      return endpoint;
    });
  }

  /** Start of the period for which all events are kept; undefined if unknown, because purging is now turned off. */
  private keptSince(): Timestamp | undefined {
    const { RETENTION_EVENTS_DAYS: days } = { ...EVENT_RETENTION, ...this.config.retention };
    return days === 0 ? undefined : timestamp(-days * DAY_MS);
  }
}

/**
 * The position after which to deliver an agent's events.
 * @throws GatewayError `invalid_cursor`, or `position_expired` if events after it were purged
 */
async function startIn(
  tx: Tx,
  agentId: string,
  from: Timestamp | { after: string },
  keptSince: Timestamp | undefined,
): Promise<bigint> {
  const stream = await tx.findOneBy(AgentStream, { agentId });
  const last = BigInt(stream?.last ?? 0);
  const purged = await lastPurged(tx, agentId, last);
  if (typeof from !== "string") {
    const position = positionOf(from.after, last);
    if (position < purged) throw new GatewayError("position_expired");
    return position;
  }
  const before = await lastBefore(tx, agentId, from, purged, last);
  // Some events since then may have been purged.
  const areKept = keptSince !== undefined && from >= keptSince;
  if (!areKept && before === purged && purged > 0n && purged < last)
    throw new GatewayError("position_expired");
  return before;
}

/** The last position before a time, by binary search, because positions have no gaps and are ordered by time. */
async function lastBefore(
  tx: Tx,
  agentId: string,
  time: Timestamp,
  purged: bigint,
  last: bigint,
): Promise<bigint> {
  let [low, high] = [purged, last];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    const event = await tx.findOne(Event, {
      select: ["agentId", "position", "timestamp"],
      where: { agentId, position: String(middle) },
    });
    if (event === null || event.timestamp < time) low = middle;
    else high = middle - 1n;
  }
  return low;
}
