import { In } from "typeorm";
import { indexBy } from "../../common/coalesce";
import { groupBy } from "../../common/group-by";
import { DAY_MS, type Timestamp, timestamp } from "../../common/time";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type SendResult } from "../../delivery/driver";
import { wasAttempted } from "../../delivery/failures";
import type { Dispatch, DueWork, FinishedSend, LaneContext, LaneWork } from "../../delivery/lane-work";
import type { WorkObserver } from "../../delivery/observer";
import type { Organization } from "../organizations/organization.entity";
import { readEvents } from "./delivery-events";
import type { EndpointHealth } from "./endpoint-health";
import type { EventBody, EventPost } from "./event-post";
import { MAX_KEPT_ATTEMPTS } from "./webhook.limits";
import { WEBHOOK_ATTEMPTS, WebhookOutcome } from "./webhook.metrics";
import { type WebhookAttempt, WebhookDelivery, WebhookDeliveryState } from "./webhook-delivery.entity";
import { WebhookEndpoint, WebhookEndpointState } from "./webhook-endpoint.entity";
import { WEBHOOK_LANE } from "./webhook-lane";
import { redeliveryDelayMs } from "./webhook-retries";

/** Max sleep time of a lane whose endpoint is disabled (ms); enabling the endpoint wakes the lane. */
const HELD_MS = DAY_MS;

/** A lane's first pending delivery. */
type Head = Pick<WebhookDelivery, "id" | "laneId" | "endpointId" | "attempts" | "notBefore"> &
  Pick<WebhookEndpoint, "url" | "state" | "failingSince" | "secretGeneration" | "previousUntil"> &
  Pick<Organization, "deactivatedAt">;

/** Attempts each lane's deliveries one by one, in position order. */
export class WebhookWork implements LaneWork {
  constructor(
    private readonly post: EventPost,
    private readonly health: EndpointHealth,
  ) {}

  async start(tx: Tx, laneIds: readonly string[], { senders }: LaneContext): Promise<DueWork> {
    const now = timestamp();
    const next = new Map<string, Timestamp>();
    const waiting: DueWork["waiting"][number][] = [];
    const leaving: Head[] = [];
    const heads = await readHeads(tx, laneIds);
    for (const id of laneIds) {
      const head = heads.get(id);
      if (head === undefined) continue;
      const isHeld = head.state !== WebhookEndpointState.active || head.deactivatedAt !== null;
      if (isHeld) next.set(id, timestamp(HELD_MS));
      else if (head.notBefore !== null && head.notBefore > now) next.set(id, head.notBefore);
      else if (
        !senders.take(id, head.endpointId, {
          mayWait: true,
          share: WEBHOOK_LANE,
          isFailing: head.failingSince !== null,
        })
      )
        waiting.push({ laneId: id, channelId: head.endpointId });
      else leaving.push(head);
    }
    const events = await readEvents(
      tx,
      leaving.map(({ id }) => id),
    );
    const dispatches: Dispatch[] = [];
    for (const head of leaving) {
      const event = events.get(head.id);
      if (event !== undefined) dispatches.push(this.dispatch(head, event));
      else {
        senders.giveBack(head.laneId, head.endpointId);
        await giveUp(tx, head.id);
        next.set(head.laneId, now);
      }
    }
    return { next, dispatches, waiting };
  }

  async finish(tx: Tx, ended: readonly FinishedSend[], observer: WorkObserver): Promise<void> {
    const attempted = ended.filter(({ isHeld, result }) => isHeld && wasAttempted(result));
    if (attempted.length === 0) return;
    const endpoints = await tx.find(WebhookEndpoint, {
      where: { id: In(attempted.map(({ channelId }) => channelId)) },
      order: { id: "ASC" },
    });
    const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
    // A response from a URL that was changed during the attempt says nothing about the new one.
    const current = attempted.filter(({ channelId, url }) => urls.get(channelId) === url);
    const outcomes = attempted.map((each) => [each, outcomeOf(each)] as const);
    await store(tx, outcomes, new Set(current));
    for (const [outcome, { length }] of groupBy(outcomes, ([, { what }]) => what))
      observer.count(WEBHOOK_ATTEMPTS, [outcome], length);
    await this.health.note(tx, endpoints, current, observer);
  }

  private dispatch(head: Head, event: EventBody): Dispatch {
    const { id, laneId, endpointId, url, secretGeneration, previousUntil } = head;
    const target = { id: endpointId, url, secretGeneration };
    return {
      laneId,
      channelId: endpointId,
      channelKind: WEBHOOK_LANE,
      url,
      share: WEBHOOK_LANE,
      message: { id },
      attempt: head.attempts + 1,
      send: async (attempt) => {
        const previousSecretUntil =
          previousUntil !== null && previousUntil > timestamp() ? previousUntil : null;
        const result = await this.post.send({ ...target, previousSecretUntil }, event, attempt);
        // Reports a permanent failure as retryable, because only retryable failures limit an endpoint to one sender.
        return result.outcome === AttemptOutcome.permanent
          ? { ...result, outcome: AttemptOutcome.retryable }
          : result;
      },
    };
  }
}

/** Returns the first pending delivery of each lane, with its endpoint. */
async function readHeads(tx: Tx, laneIds: readonly string[]): Promise<ReadonlyMap<string, Head>> {
  const ids = padded(laneIds);
  const rows: Head[] = await tx.query(
    `with due (id) as (values ${placeholders(ids.length, 1)})
     select distinct delivery.id, delivery.lane_id as "laneId", delivery.endpoint_id as "endpointId",
       delivery.attempts, delivery.not_before as "notBefore", endpoint.url, endpoint.state,
       endpoint.failing_since as "failingSince",
       endpoint.secret_generation as "secretGeneration", endpoint.previous_until as "previousUntil",
       organization.deactivated_at as "deactivatedAt"
     from due
     join webhook_delivery delivery on delivery.id = (
       select first.id from webhook_delivery first where first.lane_id = due.id and first.state = '${WebhookDeliveryState.pending}'
       order by first.position limit 1)
     join webhook_endpoint endpoint on endpoint.id = delivery.endpoint_id and endpoint.deleted_at is null
     join organization on organization.id = endpoint.organization_id`,
    ids,
  );
  return new Map(rows.map((row) => [row.laneId, row]));
}

/** An attempt's outcome, as columns of its delivery. */
type Outcome = { what: WebhookOutcome } & Pick<
  WebhookDelivery,
  "state" | "notBefore" | "lastError" | "deliveredAt"
>;

function outcomeOf({ attempt, result }: FinishedSend): Outcome {
  if (result.outcome === AttemptOutcome.accepted) {
    return {
      what: WebhookOutcome.delivered,
      state: WebhookDeliveryState.delivered,
      notBefore: null,
      lastError: null,
      deliveredAt: timestamp(),
    };
  }
  const delayMs = redeliveryDelayMs(attempt, result.retryAfterMs);
  const isOver = delayMs === undefined;
  return {
    what: isOver ? WebhookOutcome.failed : WebhookOutcome.retried,
    state: isOver ? WebhookDeliveryState.failed : WebhookDeliveryState.pending,
    notBefore: isOver ? null : timestamp(delayMs),
    lastError: result.detail,
    deliveredAt: null,
  };
}

/** @param current attempts that used their endpoints' current URLs */
async function store(
  tx: Tx,
  outcomes: readonly (readonly [FinishedSend, Outcome])[],
  current: ReadonlySet<FinishedSend>,
): Promise<void> {
  const before = await tx.find(WebhookDelivery, {
    select: ["id", "attempts", "attemptLog"],
    where: { id: In(outcomes.map(([{ messageId }]) => messageId)) },
  });
  const beforeOf = indexBy(before, ({ id }) => id);
  const erased = await aboutErased(
    tx,
    outcomes.flatMap(([{ messageId, result }]) => ("detail" in result ? messageId : [])),
  );
  for (const [send, { what: _, ...outcome }] of outcomes) {
    const { messageId: id, attempt, result } = send;
    const change = erased.has(id) ? { ...outcome, lastError: null } : outcome;
    const { attempts = 0, attemptLog = null } = beforeOf.get(id) ?? {};
    // The delivery was restarted during the attempt, perhaps with a new URL, so this failure must not delay
    // the next attempt.
    const isRestarted =
      (attempts < attempt - 1 || !current.has(send)) && change.state !== WebhookDeliveryState.delivered;
    await tx.update(
      WebhookDelivery,
      { id, state: WebhookDeliveryState.pending },
      {
        ...(isRestarted ? { lastError: change.lastError } : { ...change, attempts: attempt }),
        lastStatus: result.status ?? null,
        lastDurationMs: result.durationMs ?? null,
        attemptLog: [...(attemptLog ?? []), logged(result, change.lastError)].slice(-MAX_KEPT_ATTEMPTS),
      },
    );
  }
}

const logged = (result: SendResult, error: string | null): WebhookAttempt => ({
  endedAt: timestamp(),
  status: result.status ?? null,
  error,
  durationMs: result.durationMs ?? null,
  headers: result.headers ?? null,
});

/** Returns IDs of deliveries about erased contacts, whose responses are not stored: they may name the contact. */
async function aboutErased(tx: Tx, deliveryIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (deliveryIds.length === 0) return new Set();
  const ids = padded(deliveryIds);
  const rows: { id: string }[] = await tx.query(
    `select delivery.id from webhook_delivery delivery
     join contact on contact.erased_at is not null and contact.id = case
       when subject like 'contact:%' then substr(subject, ${"contact:".length + 1})
       else (select contact_id from conversation where id = substr(subject, ${"conversation:".length + 1})) end
     where delivery.id in ${placeholders(1, ids.length)}`,
    ids,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Abandons a delivery whose event was purged. */
const giveUp = (tx: Tx, id: string) =>
  tx.update(
    WebhookDelivery,
    { id },
    { state: WebhookDeliveryState.failed, notBefore: null, lastError: "The event is no longer stored." },
  );
