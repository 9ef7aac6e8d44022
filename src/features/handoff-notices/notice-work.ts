import type { Logger } from "pino";
import { In } from "typeorm";
import { Permission } from "../../auth/permissions";
import { baseUrlOf } from "../../base-url";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import type { Config } from "../../config";
import type { Database } from "../../database/database";
import { DELIVERING } from "../../database/limits";
import { lockRows } from "../../database/lock-rows";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { type Attempt, AttemptOutcome, type SendResult } from "../../delivery/driver";
import { failure } from "../../delivery/failures";
import {
  type Dispatch,
  type DueWork,
  type LaneContext,
  type LaneWork,
  LOCKED_MS,
} from "../../delivery/lane-work";
import { LEASE_MS } from "../../delivery/lanes";
import type { SendMail } from "../../delivery/mailer";
import { retryDelayMs } from "../messages/retries";
import { HandoffNotice } from "./handoff-notice.entity";
import { type Notice, noticeMail } from "./notice-mail";

/** The sender group for notices, with its own share of the senders. */
export const NOTICES = "notices";

/** Max attempts to send a notice; they take about a day. */
const MAX_ATTEMPTS = 30;

/** Weight of an attempt that may have delivered its e-mail, so that a member receives at most three copies. */
const UNCERTAIN_ATTEMPTS = MAX_ATTEMPTS / 3;

/** Failures caused by this process rather than the mail server: the process was stopping or too slow. */
const ENDED_HERE: ReadonlySet<string> = new Set(["aborted", "lease_lost"]);

interface Dependencies {
  database: Database;
  config: Pick<Config, "publicUrl" | "tls" | "host" | "port">;
  log: Pick<Logger, "warn">;
  /** Sends an e-mail; undefined if no mail server is configured. */
  sendMail: SendMail | undefined;
}

/** Sends handoff notices and deletes obsolete ones; skips locked ones, because the transaction holds lanes. */
export class NoticeWork implements LaneWork {
  constructor(private readonly services: Dependencies) {}

  async start(tx: Tx, laneIds: readonly string[], { senders }: LaneContext): Promise<DueWork> {
    const next = new Map<string, Timestamp>();
    const dispatches: Dispatch[] = [];
    const waiting: DueWork["waiting"][number][] = [];
    const now = timestamp();
    const notices = tx.createQueryBuilder(HandoffNotice, "notice").where({ id: In([...laneIds]) });
    const locked = await lockRows(tx, notices, { skipLocked: true });
    if (locked.size < laneIds.length)
      for (const { id } of await notices.getMany()) if (!locked.has(id)) next.set(id, timestamp(LOCKED_MS));
    const unsent = [...locked.values()].filter(({ sentAt }) => sentAt === null);
    const wanted = await this.wanted(
      tx,
      unsent.filter(({ attempts }) => attempts < MAX_ATTEMPTS),
    );
    const dropped = unsent.flatMap(({ id }) => (wanted.has(id) ? [] : id));
    if (dropped.length > 0) await tx.delete(HandoffNotice, { id: In(dropped) });
    const starting: HandoffNotice[] = [];
    for (const { id, attempts, retryAt } of unsent) {
      const notice = wanted.get(id);
      if (notice === undefined) continue;
      const lane = { laneId: id, channelId: NOTICES, channelKind: NOTICES, share: NOTICES };
      if (retryAt !== null && retryAt > now) next.set(id, retryAt);
      else if (!senders.take(id, NOTICES, { mayWait: true, share: NOTICES })) waiting.push(lane);
      else {
        starting.push(locked.get(id) as HandoffNotice);
        const send = (attempt: Attempt) => this.send(notice, attempt);
        dispatches.push({ ...lane, message: { id }, attempt: attempts + 1, send });
      }
    }
    // Counts the attempt before it starts, because the process may be killed during it. The next attempt may
    // start as soon as this one's lease expires.
    for (const [attempts, ofOne] of groupBy(starting, (notice) => notice.attempts + UNCERTAIN_ATTEMPTS))
      await tx.update(
        HandoffNotice,
        { id: In(ofOne.map(({ id }) => id)) },
        { attempts, retryAt: timestamp(LEASE_MS) },
      );
    return { next, dispatches, waiting };
  }

  /** No-op, because the result is already stored. */
  async finish(): Promise<void> {}

  /** Returns the data to send for notices that still apply, by notice ID. */
  private async wanted(tx: Tx, notices: readonly HandoffNotice[]): Promise<Map<string, Notice>> {
    if (notices.length === 0 || this.services.sendMail === undefined) return new Map();
    const ids = padded(notices.map(({ id }) => id));
    const rows: (Notice & { permissions: string; assigneeId: string | null })[] = await tx.query(
      `select notice.id, notice.conversation_id as "conversationId", member.email, member.permissions, agent.name as agent,
         conversation.assignee_id as "assigneeId"
       from handoff_notice notice
       join handoff_subscription subscription
         on subscription.member_id = notice.member_id and subscription.agent_id = notice.agent_id
       join member on member.id = notice.member_id
       join organization on organization.id = member.organization_id
       join agent on agent.id = notice.agent_id
       join conversation on conversation.id = notice.conversation_id
       where notice.id in ${placeholders(1, ids.length)}
         and conversation.state = 'open' and conversation.handler = 'human'
         and (conversation.assignee_id is null or conversation.assignee_id = notice.member_id)
         and organization.deactivated_at is null`,
      ids,
    );
    return new Map(
      rows
        .filter(({ permissions }) => permissions.split(",").includes(Permission.conversations_read))
        .map((row) => [row.id, { ...row, isAssigned: row.assigneeId !== null }]),
    );
  }

  private async send(notice: Notice, attempt: Attempt): Promise<SendResult> {
    const { config, log, sendMail } = this.services;
    const { id } = notice;
    const failed = await sendMail?.(noticeMail(notice, `${baseUrlOf(config)}/dashboard`), attempt);
    if (failed === undefined) {
      await this.store({ id }, { attempts: attempt.number, sentAt: timestamp() });
      return { outcome: AttemptOutcome.accepted, providerId: null, isDelivered: false };
    }
    const { outcome, code } = failed;
    log.warn({ failure: code, notice: id }, "could not send a handoff notice");
    const counted = attempt.number - 1 + UNCERTAIN_ATTEMPTS;
    // Has no effect if another process has started an attempt in the meantime.
    await this.store(
      { id, attempts: counted },
      {
        attempts: outcome === AttemptOutcome.uncertain ? counted : attempt.number,
        ...(!ENDED_HERE.has(code) && { retryAt: timestamp(retryDelayMs(attempt.number)) }),
      },
    );
    return failure(AttemptOutcome.retryable, code, "The mail server did not accept the notice.");
  }

  /** Stores a result in a separate transaction, which may wait for locks because it holds no lanes. */
  private store(notice: Partial<HandoffNotice>, result: Partial<HandoffNotice>): Promise<unknown> {
    return this.services.database.write((tx) => tx.update(HandoffNotice, notice, result), {
      limits: DELIVERING,
    });
  }
}
