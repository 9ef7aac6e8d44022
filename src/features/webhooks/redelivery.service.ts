import { Between, type EntityManager } from "typeorm";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { indexBy } from "../../common/coalesce";
import { DAY_MS, type Timestamp, timestamp, timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import type { Database } from "../../database/database";
import { placeholders } from "../../database/returning";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { recordAudit } from "../audit/audit";
import { AgentStream } from "../events/agent-stream.entity";
import { Event } from "../events/event.entity";
import { EVENT_RETENTION } from "../events/event.limits";
import { assertNextStored, positionOf } from "../events/event.service";
import { EVENTS_CHANNEL } from "../events/record-events";
import { findEndpoint, requireEndpoint } from "./find-endpoint";
import { agentsOf } from "./follow";
import { auditTarget, webhookActions } from "./webhook.audit";
import type { MissedEvents, MissedEventsArgs, RedeliverInput, RedeliveryStart } from "./webhook.inputs";
import { WebhookCursor } from "./webhook-cursor.entity";
import { WebhookDelivery, WebhookDeliveryState } from "./webhook-delivery.entity";
import { type WebhookEndpoint, WebhookEndpointState } from "./webhook-endpoint.entity";
import { WEBHOOK_LANE } from "./webhook-lane";

/** Max events to examine when counting missed events. */
const MAX_EXAMINED = 10_000;

/** Redelivers events that endpoints missed. */
export class RedeliveryService {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly config: Pick<Config, "retention">,
  ) {}

  /**
   * Counts the events that `redeliver` would send, and stops after examining `MAX_EXAMINED` events.
   * @throws GatewayError like `redeliver`
   */
  countMissed(context: RequestContext, { id, from }: MissedEventsArgs): Promise<MissedEvents> {
    const organizationId = organizationOf(context);
    return this.database.report(organizationId, async (reader) => {
      const endpoint = await requireEndpoint(reader, organizationId, id);
      let count = 0;
      let left = MAX_EXAMINED;
      for (const { agentId, position, cursor } of await this.starts(reader, endpoint, from, "from")) {
        const part = await countMissed(reader, endpoint, {
          agentId,
          from: position,
          to: cursor,
          limit: left,
        });
        count += part.missed;
        left -= part.examined;
        if (left === 0) break;
      }
      return { count, isExact: left > 0 };
    });
  }

  /**
   * Rewinds an endpoint to a time or position, which may precede its creation. A dispatcher rereads the events from
   * there, and creates deliveries for events that have none or whose delivery was abandoned.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found`, `position_expired`, or `conflict` while the
   *   endpoint is disabled
   */
  redeliver(context: RequestContext, { id, from }: RedeliverInput): Promise<WebhookEndpoint> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      const endpoint = await requireEndpoint(tx, organizationOf(context), id);
      for (const { agentId, position } of await this.starts(tx, endpoint, from, "input.from")) {
        await tx.query(
          "update webhook_cursor set position = $1 where endpoint_id = $2 and agent_id = $3 and position > $1",
          [String(position), id, agentId],
        );
      }
      const target = auditTarget(endpoint);
      await recordAudit(tx, context, webhookActions.webhook_redelivery_requested, target, {
        since: [null, from.since == null ? null : timestampOf(+from.since)],
        after: [null, from.after ?? null],
      });
      tx.announce(EVENTS_CHANNEL);
      return endpoint;
    });
  }

  /**
   * Resends the event of a delivery immediately, even if it was already delivered, and retries failures as
   * for a new delivery. An earlier pending event with the same subject is sent first.
   * @throws GatewayError `not_found`, `conflict` while the endpoint is disabled, or `position_expired` if the
   *   event is no longer stored
   */
  resend(context: RequestContext, id: string): Promise<WebhookDelivery> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      const delivery = isUuid(id) ? await tx.findOneBy(WebhookDelivery, { id }) : null;
      const endpoint = delivery && (await findEndpoint(tx, organizationOf(context), delivery.endpointId));
      if (!endpoint) throw noSuch("webhook delivery");
      assertActive(endpoint);
      const { agentId, position, eventId, laneId } = delivery;
      if (!(await tx.existsBy(Event, { agentId, position }))) throw new GatewayError("position_expired");
      // A deliverer locks a lane before its deliveries, so lock in the same order here.
      await this.lanes.add(tx, [{ id: laneId, agentId, kind: WEBHOOK_LANE }]);
      const restarted = { attempts: 0, notBefore: null, deliveredAt: null };
      await tx.update(WebhookDelivery, { id }, { ...restarted, state: WebhookDeliveryState.pending });
      await recordAudit(tx, context, webhookActions.webhook_redelivery_requested, auditTarget(endpoint), {
        eventId: [null, eventId],
      });
      return tx.findOneByOrFail(WebhookDelivery, { id });
    });
  }

  /** Returns the start and current positions for each agent whose events were dispatched to the endpoint. */
  private async starts(
    reader: EntityManager,
    endpoint: WebhookEndpoint,
    { since, after }: RedeliveryStart,
    path: string,
  ): Promise<{ agentId: string; position: bigint; cursor: bigint }[]> {
    if (after != null && endpoint.agentId === null) {
      const message = "is allowed only for endpoints of a single agent";
      throw new InvalidInput([{ path: `${path}.after`, message }]);
    }
    assertActive(endpoint);
    const from = since == null ? { after: after as string } : timestampOf(+since);
    const cursors = await reader.findBy(WebhookCursor, { endpointId: endpoint.id });
    const byAgent = indexBy(cursors, ({ agentId }) => agentId);
    const starts = [];
    for (const agentId of await agentsOf(reader, endpoint)) {
      const cursor = byAgent.get(agentId);
      const position = await startIn(reader, agentId, from, this.keptSince());
      if (cursor !== undefined) starts.push({ agentId, position, cursor: BigInt(cursor.position) });
    }
    return starts;
  }

  /** Returns the time since which all events are stored; undefined if purging is off now but may have been on. */
  private keptSince(): Timestamp | undefined {
    const { RETENTION_EVENTS_DAYS: days } = { ...EVENT_RETENTION, ...this.config.retention };
    return days === 0 ? undefined : timestamp(-days * DAY_MS);
  }
}

function assertActive({ state }: WebhookEndpoint): void {
  if (state === WebhookEndpointState.disabled)
    throw new GatewayError("conflict", "The endpoint is disabled. Enable it first.");
}

/** Counts the events whose delivery is missing or was abandoned, among the first events after a position. */
async function countMissed(
  reader: EntityManager,
  { id, types }: WebhookEndpoint,
  { agentId, from, to, limit }: { agentId: string; from: bigint; to: bigint; limit: number },
): Promise<{ examined: number; missed: number }> {
  const wanted = types ?? [];
  const [row] = await reader.query(
    `select count(*) as examined, count(case when (delivery.id is null or delivery.state in
       ('${WebhookDeliveryState.failed}', '${WebhookDeliveryState.canceled}'))
       ${types === null ? "" : `and event.type in ${placeholders(1, wanted.length)}`} then 1 end) as missed
     from (select id, type from event where agent_id = $${wanted.length + 1} and position > $${wanted.length + 2}
       and position <= $${wanted.length + 3} order by position limit ${limit}) as event
     left join webhook_delivery delivery on delivery.endpoint_id = $${wanted.length + 4} and delivery.event_id = event.id`,
    [...wanted, agentId, String(from), String(to), id],
  );
  return { examined: Number(row.examined), missed: Number(row.missed) };
}

/**
 * Returns the position to start after when delivering an agent's events.
 * @param keptSince the time since which all events are stored, if known
 * @throws GatewayError `invalid_cursor`, or `position_expired` if events after that position are no longer stored
 */
async function startIn(
  reader: EntityManager,
  agentId: string,
  from: Timestamp | { after: string },
  keptSince: Timestamp | undefined,
): Promise<bigint> {
  const stream = await reader.findOneBy(AgentStream, { agentId });
  const last = BigInt(stream?.last ?? 0);
  if (typeof from !== "string") {
    const position = positionOf(from.after, last);
    await assertNextStored(reader, agentId, position, last);
    return position;
  }
  const purged = await lastPurged(reader, agentId, last);
  const before = await lastBefore(reader, agentId, from, purged, last);
  // If this is false, some events since `from` may have been purged.
  const areKept = keptSince !== undefined && from >= keptSince;
  if (!areKept && before === purged && purged > 0n && purged < last)
    throw new GatewayError("position_expired");
  return before;
}

/** Returns the position of an agent's last purged event; 0 if none was purged. */
async function lastPurged(reader: EntityManager, agentId: string, last: bigint): Promise<bigint> {
  const [oldest] = await reader.find(Event, { where: { agentId }, order: { position: "ASC" }, take: 1 });
  return oldest === undefined ? last : BigInt(oldest.position) - 1n;
}

/**
 * Returns the position of the last event before a time, by binary search. On PostgreSQL, the times of
 * concurrent events may be out of order, so the result can be off by a few events.
 */
async function lastBefore(
  reader: EntityManager,
  agentId: string,
  time: Timestamp,
  first: bigint,
  last: bigint,
): Promise<bigint> {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    // There may be no event at the middle position, because a restore may have skipped it.
    const event = await reader.findOne(Event, {
      select: ["agentId", "position", "timestamp"],
      where: { agentId, position: Between(String(middle), String(high)) },
      order: { position: "ASC" },
    });
    if (event !== null && event.timestamp < time) low = BigInt(event.position);
    else high = middle - 1n;
  }
  return low;
}
