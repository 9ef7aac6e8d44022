// One class, because opening, serving, checking and ending streams change the same sets of followers.

import { setImmediate as nextTick } from "node:timers/promises";
import type { Logger } from "pino";
import { ownerOf } from "../../../auth/caller";
import { organizationOf, type RequestContext } from "../../../auth/context";
import { Budget } from "../../../common/budget";
import { chunked } from "../../../common/chunked";
import { FairQueue } from "../../../common/fair-queue";
import { groupBy } from "../../../common/group-by";
import { logThrottle } from "../../../common/throttled-log";
import type { Config } from "../../../config";
import type { Database } from "../../../database/database";
import { Semaphore } from "../../../database/semaphore";
import { GatewayError } from "../../../errors";
import type { Event } from "../event.entity";
import type { FollowEventsArgs } from "../event.inputs";
import { startOf } from "../event.service";
import { EVENTS_CHANNEL } from "../record-events";
import { type FollowedAgent, Follower } from "./follower";
import { consecutive, credentialsOf, cursorOf, MAX_IDS, ofTypes, partsOf } from "./follower-groups";
import { type LiveSnapshot, readLive } from "./live-snapshot";
import { assertMayFollow, credentialOf, rejectionIn } from "./rejections";

/** Interval for polling for other processes' events and for checking idle followers (ms). */
const POLL_INTERVAL_MS = 1_000;

/** Max share of all streams that one organization can use. */
const ORGANIZATION_SHARE = 0.5;

/**
 * Max streams being opened concurrently, in total and per organization, because opening a stream takes several queries.
 */
const MAX_OPENING = 4;
const MAX_OPENING_OF_ORGANIZATION = 2;

/** Max time a stream can wait while other streams are being opened (ms). */
const OPEN_TIMEOUT_MS = 30_000;

/** The lowest value of the limit on positions served per round. The limit increases with the number of agents. */
const MIN_CURSORS_PER_ROUND = 40;

const LOG_INTERVAL_MS = 60_000;

/**
 * The event streams of this process. Commit notifications and polling wake them. Each read fetches the
 * next events once for all followers at the same position, together with the states of their credentials.
 */
export class LiveEvents {
  /** Number of events delivered to followers. */
  sent = 0;
  private readonly followers = new Set<Follower>();
  private readonly waiting = new Set<Follower>();
  /** The positions of followers that lag behind. */
  private readonly turns = new FairQueue<string>();
  private readonly agents = new Map<string, FollowedAgent>();
  private readonly opening = new Semaphore(MAX_OPENING, MAX_OPENING_OF_ORGANIZATION);
  /** Streams that are open or being opened. */
  private readonly streams: Budget;
  private readonly maxOfOrganization: number;
  private readonly throttle = logThrottle(LOG_INTERVAL_MS);
  private timer: NodeJS.Timeout | undefined;
  private stopListening: (() => Promise<void>) | undefined;
  private isRunning = false;
  private running: Promise<void> | undefined;
  /** True if events may have been committed since the last poll. */
  private mayHaveEvents = false;
  /** True if idle followers' credentials are due for a check. */
  private isCheckDue = false;
  private isClosed = false;

  constructor(
    private readonly database: Database,
    { maxStreams }: Pick<Config, "maxStreams">,
    private readonly log: Logger,
  ) {
    this.maxOfOrganization = Math.ceil(maxStreams * ORGANIZATION_SHARE);
    this.streams = new Budget(maxStreams, this.maxOfOrganization);
  }

  /** Number of open streams. */
  get open(): number {
    return this.followers.size;
  }

  /**
   * Opens a stream of an agent's events. API keys use their own agent; members specify one.
   * @throws GatewayError like `startOf` and `assertMayFollow`; `rate_limited` if the organization has too many streams,
   *   `unavailable` if the process has too many, is opening too many, or is stopping
   */
  async follow(context: RequestContext, { agentId, after, types }: FollowEventsArgs): Promise<Follower> {
    assertMayFollow(context.caller);
    const organizationId = organizationOf(context);
    const release = this.reserve(organizationId);
    try {
      this.start();
      const { id, position, last } = await this.opening.run(OPEN_TIMEOUT_MS, organizationId, () =>
        this.database.read((reader) => startOf(reader, context, { agentId, after })),
      );
      if (this.isClosed) throw stopping();
      const agent = this.agents.get(id) ?? { id, last, followers: 0 };
      if (last > agent.last) agent.last = last;
      this.agents.set(id, agent);
      agent.followers += 1;
      const sorted = types == null ? undefined : [...new Set(types)].sort();
      const follower = new Follower(context.caller, agent, sorted, position, context.origin.ip, {
        waits: (each) => this.wait(each),
        ended: (each, error) => {
          release();
          this.forget(each);
          this.logEnd(context, each, error);
        },
      });
      this.followers.add(follower);
      return follower;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const follower of [...this.followers]) follower.end();
    await this.stopListening?.();
    await this.running;
  }

  /** Reserves a stream slot for an organization; returns a function that releases it. */
  private reserve(id: string): () => void {
    if (this.isClosed) throw stopping();
    const release = this.streams.take([id], 1);
    if (release !== undefined) return release;
    if (this.streams.isExhausted)
      throw new GatewayError("unavailable", "The server has reached its limit of open streams.");
    throw new GatewayError(
      "rate_limited",
      `An organization can have at most ${this.maxOfOrganization} open streams.`,
      { headers: { "retry-after": "5" } },
    );
  }

  private start(): void {
    if (this.timer !== undefined) return;
    this.stopListening = this.database.listen(EVENTS_CHANNEL, () => {
      this.mayHaveEvents = true;
      this.run();
    });
    this.timer = setInterval(() => {
      this.mayHaveEvents = true;
      this.isCheckDue = true;
      this.run();
    }, POLL_INTERVAL_MS).unref();
  }

  private wait(follower: Follower): void {
    this.waiting.add(follower);
    if (follower.isBehind || this.mayHaveEvents) this.run();
  }

  private forget(follower: Follower): void {
    this.followers.delete(follower);
    this.waiting.delete(follower);
    const { agent } = follower;
    agent.followers -= 1;
    if (agent.followers === 0) this.agents.delete(agent.id);
  }

  private run(): void {
    if (!this.isRunning) this.running = this.serveAll();
  }

  /** Serves followers until all of them are up to date. */
  private async serveAll(): Promise<void> {
    this.isRunning = true;
    try {
      while (this.waiting.size > 0 && !this.isClosed) {
        if (this.mayHaveEvents || this.isCheckDue) await this.look();
        const behind = this.nextBehind();
        if (behind.length === 0 && !this.mayHaveEvents) break;
        for (const part of partsOf(behind)) await this.serve(part);
        // Lets followers request more events, which the next round then serves together.
        await nextTick();
      }
    } catch (err) {
      // The error is not rethrown, because the next poll retries.
      if (this.throttle() !== undefined) this.log.warn({ err }, "event streams are waiting for the database");
    } finally {
      this.isRunning = false;
    }
  }

  /**
   * Takes several groups of lagging followers, each group at one position; organizations take turns. Each
   * round checks for new events, so that one organization's backlog barely delays the others.
   */
  private nextBehind(): Follower[][] {
    const behind = [...this.waiting].filter(({ isBehind }) => isBehind);
    const groups = groupBy(behind, cursorOf);
    for (const [cursor, [first]] of groups)
      if (first !== undefined) this.turns.add(ownerOf(first.caller) ?? "", cursor);
    // With more agents, rounds are larger, because checking for new events takes longer.
    const most = Math.max(MIN_CURSORS_PER_ROUND, this.agents.size / 10);
    const taken: Follower[][] = [];
    while (taken.length < most && !this.turns.isEmpty) {
      // All followers at this position may have ended.
      const group = groups.get(this.turns.next() ?? "");
      if (group !== undefined) taken.push(group);
    }
    return taken;
  }

  /** Reads all agents' last positions, and ends idle streams whose credentials are no longer valid. */
  private async look(): Promise<void> {
    const idle = this.isCheckDue ? [...this.waiting] : [];
    this.mayHaveEvents = false;
    this.isCheckDue = false;
    for (const agentIds of chunked([...this.agents.keys()], MAX_IDS)) {
      const { lasts } = await this.read([], agentIds);
      for (const [id, last] of lasts) {
        const agent = this.agents.get(id);
        if (agent !== undefined) agent.last = last;
      }
    }
    const byCredential = [...groupBy(idle, ({ caller }) => credentialOf(caller).id).values()];
    for (const groups of chunked(byCredential, MAX_IDS)) {
      const followers = groups.flat();
      this.endRejected(followers, await this.read(followers));
    }
  }

  /** Reads and delivers the next events for a group of followers. */
  private async serve(followers: readonly Follower[]): Promise<void> {
    const groups = [...groupBy(followers, cursorOf).values()];
    const cursors = groups.flatMap(([first]) =>
      first === undefined ? [] : [{ agentId: first.agent.id, position: first.cursor }],
    );
    const snapshot = await this.database.read(
      (reader) => readLive(reader, { cursors, ...credentialsOf(followers) }),
      { isRepeated: true },
    );
    const accepted = this.endRejected(followers, snapshot);
    for (const [i, group] of groups.entries()) {
      const from = cursors[i]?.position ?? 0n;
      const events = consecutive(snapshot.batches[i] ?? [], from);
      // The stream has events after the position, so the next one was purged or lost in a restore.
      const isGone = events.length === 0;
      const byTypes = new Map<string, readonly Event[]>();
      for (const follower of group) {
        if (!accepted.has(follower)) continue;
        if (isGone) follower.end(new GatewayError("position_expired"));
        else this.deliver(follower, ofTypes(events, follower.types, byTypes), from + BigInt(events.length));
      }
    }
  }

  private deliver(follower: Follower, events: readonly Event[], upTo: bigint): void {
    this.sent += events.length;
    if (!follower.deliver(events, upTo)) this.waiting.delete(follower);
  }

  private read(followers: readonly Follower[], agentIds: readonly string[] = []): Promise<LiveSnapshot> {
    return this.database.read((reader) => readLive(reader, { agentIds, ...credentialsOf(followers) }), {
      isRepeated: true,
    });
  }

  /** Ends the streams of followers whose credentials a snapshot rejects; returns the others that are still waiting. */
  private endRejected(followers: readonly Follower[], snapshot: LiveSnapshot): ReadonlySet<Follower> {
    const rejections = new Map<string, GatewayError | undefined>();
    const accepted = new Set<Follower>();
    for (const follower of followers) {
      // The follower may have ended during the query.
      if (!this.waiting.has(follower)) continue;
      const { caller, ip, agent } = follower;
      const who = `${credentialOf(caller).id} ${ip} ${agent.id}`;
      if (!rejections.has(who)) rejections.set(who, rejectionIn(snapshot, caller, ip, agent.id));
      const rejection = rejections.get(who);
      if (rejection === undefined) accepted.add(follower);
      else follower.end(rejection);
    }
    return accepted;
  }

  private logEnd({ caller, origin }: RequestContext, follower: Follower, error?: GatewayError): void {
    this.log.info(
      {
        reqId: origin.requestId,
        ...(caller.kind === "agent" ? { key: caller.key.hint } : {}),
        ...(caller.kind === "member" ? { member: caller.id } : {}),
        agent: follower.agent.id,
        events: follower.sent,
        seconds: Math.round((performance.now() - follower.startedAt) / 1000),
        ...(error && { code: error.code }),
      },
      "event stream ended",
    );
  }
}

const stopping = () => new GatewayError("unavailable", "The server is stopping. Connect again.");
