import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { Between, type EntityManager, In, IsNull, MoreThan } from "typeorm";
import { v7 as uuid } from "uuid";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { insertAll } from "../../database/insert-all";
import { DELIVERING } from "../../database/limits";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { AgentStream } from "../events/agent-stream.entity";
import { Event } from "../events/event.entity";
import { EVENTS_CHANNEL } from "../events/record-events";
import { WebhookCursor } from "./webhook-cursor.entity";
import { WebhookDelivery, WebhookDeliveryState } from "./webhook-delivery.entity";
import { WebhookEndpoint, WebhookEndpointState } from "./webhook-endpoint.entity";
import { laneIdOf, WEBHOOK_LANE } from "./webhook-lane";

/** Max event positions per transaction; other writers may be waiting for the transaction. */
const WINDOW = 100n;

/** Interval between polls for events that were not announced to this process (ms). */
const POLL_INTERVAL_MS = 1_000;

/** Min time between two polls (ms), so that events committed at about the same time share a poll. */
const PAUSE_MS = 50;

/** Max pairs of endpoint and agent returned by one poll. */
const MAX_BEHIND = 100;

/** Max time for processing a poll's result (ms); endpoints that fall behind later wait for the next poll. */
const MAX_LOOK_MS = 250;

/** An endpoint, and an agent whose latest events have no deliveries to the endpoint yet. */
type Behind = Pick<WebhookCursor, "endpointId" | "agentId">;

/** Creates webhook deliveries from agents' events, so that transactions that record events do not have to. */
export class WebhookDispatcher {
  private isDue = false;
  /** Aborted to stop the dispatcher; undefined before it is started. */
  private stop: AbortController | undefined;
  /** False while no endpoint is active; then only endpoints are polled, not events. */
  private hasEndpoints = true;
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly log: Logger,
  ) {}

  /** Starts the dispatcher; returns a function that stops it after the current transaction. */
  start(): () => Promise<void> {
    const stop = new AbortController();
    this.stop = stop;
    const stopListening = this.database.listen(EVENTS_CHANNEL, () => {
      if (this.hasEndpoints) this.wake();
    });
    const timer = setInterval(this.wake, POLL_INTERVAL_MS).unref();
    this.wake();
    return async () => {
      stop.abort();
      clearInterval(timer);
      await stopListening();
      await this.running;
    };
  }

  /** Starts a poll soon if the dispatcher is running. Call this after adding or changing an endpoint. */
  readonly wake = (): void => {
    if (this.stopped) return;
    this.isDue = true;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  };

  private get stopped(): boolean {
    return this.stop?.signal.aborted ?? true;
  }

  private async run(): Promise<void> {
    while (this.isDue && !this.stopped) {
      this.isDue = false;
      if (await this.catchUpAll()) this.isDue = true;
      else await pause(PAUSE_MS, undefined, { signal: this.stop?.signal, ref: false }).catch(() => undefined);
    }
  }

  /** @returns true if there may be more to do immediately */
  private async catchUpAll(): Promise<boolean> {
    let isMore = false;
    try {
      this.hasEndpoints ||= await this.database.read(isAnyActive);
      if (!this.hasEndpoints) return false;
      const behind = await this.behind();
      this.hasEndpoints = behind.length > 0 || (await this.database.read(isAnyActive));
      const startedAt = performance.now();
      // Dispatches one window per pair, so that no endpoint has to wait for another's whole backlog.
      for (const each of behind) {
        if (this.stopped) return false;
        if (performance.now() - startedAt > MAX_LOOK_MS) return true;
        const found = await this.database.write((tx) => this.dispatch(tx, each), { limits: DELIVERING });
        isMore ||= found;
      }
      return isMore;
    } catch (err) {
      this.log.warn({ err }, "could not create webhook deliveries");
      return false;
    }
  }

  /** Returns some endpoints that are behind, in random order; organizations take turns, so that none starves. */
  private behind(): Promise<Behind[]> {
    return this.database.read(
      (reader) =>
        reader.query(
          `select "endpointId", "agentId" from (
             select endpoint.id as "endpointId", stream.agent_id as "agentId",
               row_number() over (partition by endpoint.organization_id order by random()) as turn
             from webhook_endpoint endpoint
             join organization on organization.id = endpoint.organization_id and organization.deactivated_at is null
             join agent on agent.organization_id = endpoint.organization_id and agent.deleted_at is null
               and (endpoint.agent_id is null or endpoint.agent_id = agent.id)
             join agent_stream stream on stream.agent_id = agent.id
             left join webhook_cursor cursor on cursor.endpoint_id = endpoint.id and cursor.agent_id = agent.id
             where endpoint.state = $1 and endpoint.deleted_at is null and stream.last > coalesce(cursor.position, 0)
           ) behind
           order by turn, random() limit $2`,
          [WebhookEndpointState.active, MAX_BEHIND],
        ),
      { isRepeated: true },
    );
  }

  /** Creates the deliveries of an agent's next events to an endpoint; returns true if there may be more. */
  private async dispatch(tx: Tx, { endpointId, agentId }: Behind): Promise<boolean> {
    const cursor = await lockCursor(tx, endpointId, agentId);
    // Another process has locked the cursor, and will create the deliveries.
    if (cursor === undefined) return false;
    const endpoint = await tx.findOneBy(WebhookEndpoint, {
      id: endpointId,
      state: WebhookEndpointState.active,
    });
    const stream = await tx.findOneBy(AgentStream, { agentId });
    if (endpoint === null || endpoint.deletedAt !== null || stream === null) return false;
    const last = BigInt(stream.last);
    if (last <= BigInt(cursor)) return false;
    const [next] = await tx.find(Event, {
      select: ["agentId", "position"],
      where: { agentId, position: MoreThan(cursor) },
      order: { position: "ASC" },
      take: 1,
    });
    // Positions without an event are skipped: the event was purged, or a restore skipped the position.
    const from = next === undefined ? last : BigInt(next.position) - 1n;
    const to = from + WINDOW < last ? from + WINDOW : last;
    const events = await tx.find(Event, {
      select: ["id", "agentId", "position", "type", "subject"],
      where: {
        agentId,
        position: Between(String(from + 1n), String(to)),
        ...(endpoint.types !== null && { type: In([...endpoint.types]) }),
      },
      order: { position: "ASC" },
    });
    await this.deliver(tx, endpointId, events);
    await tx.update(WebhookCursor, { endpointId, agentId }, { position: String(to) });
    return to < last;
  }

  /** Creates missing deliveries, and resets failed and canceled deliveries to pending. */
  private async deliver(tx: Tx, endpointId: string, events: readonly Event[]): Promise<void> {
    if (events.length === 0) return;
    const known = await tx.find(WebhookDelivery, {
      select: ["id", "eventId", "state"],
      where: { endpointId, eventId: In(events.map(({ id }) => id)) },
    });
    const knownOf = new Map(known.map((delivery) => [delivery.eventId, delivery]));
    const wanted = events.filter(({ id }) => isToBeSent(knownOf.get(id)?.state));
    if (wanted.length === 0) return;
    const laneOf = ({ subject }: Event) => laneIdOf(endpointId, subject);
    // A deliverer locks a lane before its deliveries, so lock in the same order here.
    await this.lanes.add(
      tx,
      wanted.map((event) => ({ id: laneOf(event), agentId: event.agentId, kind: WEBHOOK_LANE })),
    );
    const now = timestamp();
    const fresh = {
      state: WebhookDeliveryState.pending,
      attempts: 0,
      notBefore: null,
      lastStatus: null,
      lastError: null,
      lastDurationMs: null,
      deliveredAt: null,
      createdAt: now,
    };
    await insertAll(
      tx,
      WebhookDelivery,
      wanted
        .filter(({ id }) => !knownOf.has(id))
        .map((event) => ({
          id: uuid(),
          endpointId,
          agentId: event.agentId,
          position: event.position,
          eventId: event.id,
          type: event.type,
          subject: event.subject,
          laneId: laneOf(event),
          attemptLog: null,
          ...fresh,
        })),
    );
    const again = wanted.flatMap(({ id }) => knownOf.get(id)?.id ?? []);
    if (again.length > 0) await tx.update(WebhookDelivery, again, fresh);
  }
}

/** True if an event must be sent, given its delivery's state; undefined means that there is no delivery yet. */
const isToBeSent = (state: WebhookDeliveryState | undefined): boolean =>
  state === undefined || state === WebhookDeliveryState.failed || state === WebhookDeliveryState.canceled;

/** Locks an endpoint's cursor for an agent and returns its position; undefined if another process locked it. */
async function lockCursor(tx: Tx, endpointId: string, agentId: string): Promise<string | undefined> {
  const find = () =>
    tx
      .lock(tx.createQueryBuilder(WebhookCursor, "cursor").where({ endpointId, agentId }), {
        skipLocked: true,
      })
      .getOne();
  const found = await find();
  if (found !== null) return found.position;
  await insertAll(tx, WebhookCursor, [{ endpointId, agentId, position: "0" }], { orIgnore: true });
  return (await find())?.position;
}

const isAnyActive = (reader: EntityManager): Promise<boolean> =>
  reader.existsBy(WebhookEndpoint, { state: WebhookEndpointState.active, deletedAt: IsNull() });
