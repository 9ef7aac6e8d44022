import type { EntityManager } from "typeorm";
import { DAY_MS, timestampOf } from "../../common/time";
import { leastUuidAt } from "../../common/uuid";
import type { Config } from "../../config";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import { MAX_CAP_DAYS } from "../configuration/configuration.limits";
import { IS_UNPLACED, IS_UNSENT } from "../messages/message.entity";

/** The retention setting for messages (days), and its default. */
export const MESSAGE_RETENTION = { RETENTION_MESSAGES_DAYS: 0 };

const LAST_CHANGE = "coalesce(message.updated_at, message.created_at)";

declare module "../../schema/hooks" {
  interface Hooks {
    /** Returns the IDs of the given conversations whose messages the feature still needs. */
    conversationsInUse: (
      reader: EntityManager,
      conversationIds: readonly string[],
    ) => Promise<readonly string[]>;
  }
}

/** A process's scan of old messages, restarted daily because many messages may have to be retained. */
export interface MessageWalk {
  after: string;
  /** As returned by `performance.now`, because the wall clock may be set back in the meantime. */
  startedMs: number;
}

export const newWalk = (): MessageWalk => ({ after: "", startedMs: performance.now() });

/**
 * Deletes old finished messages and their attempts. Retains messages that count toward a cap, and all messages
 * of a conversation while the contact waits for a reply or a feature needs them.
 * @param options.signal stops the deletion after the current chunk
 * @param options.walk the position to continue from; updated after each chunk
 */
export async function deleteEndedMessages(
  database: Database,
  hooks: HookRegistry,
  { retention }: Pick<Config, "retention">,
  { signal, walk = newWalk() }: { signal?: AbortSignal; walk?: MessageWalk } = {},
): Promise<void> {
  const { RETENTION_MESSAGES_DAYS: days } = { ...MESSAGE_RETENTION, ...retention };
  if (days === 0) return;
  if (walk.startedMs + DAY_MS <= performance.now()) Object.assign(walk, newWalk());
  const beforeMs = Date.now() - days * DAY_MS;
  const before = timestampOf(beforeMs);
  const uncountedBefore = timestampOf(Math.min(beforeMs, Date.now() - MAX_CAP_DAYS * DAY_MS));
  await inChunks<string>(
    database,
    async (tx, after = walk.after, limit) => {
      // Selects every row up to the limit, because a chunk must be short even if there is nothing to delete.
      const rows: { id: string; conversationId: string | null; isEnded: boolean | number }[] = await tx.query(
        `select id, conversation_id as "conversationId", not (${IS_UNSENT}) and not (${IS_UNPLACED})
           and ${LAST_CHANGE} < case when capped_contact_id is null then $1 else $2 end
           and not exists (
             select 1 from conversation
             where conversation.id = message.conversation_id and conversation.waiting_since is not null) as "isEnded"
         from message where id > $3 and id < $4 order by id limit $5`,
        [before, uncountedBefore, after, leastUuidAt(beforeMs), limit],
      );
      const ended = rows.filter(({ isEnded }) => isEnded);
      const conversationIds = [...new Set(ended.flatMap(({ conversationId }) => conversationId ?? []))];
      const inUse = new Set<string | null>();
      if (conversationIds.length > 0)
        for (const hook of hooks.of("conversationsInUse"))
          for (const id of await hook(tx, conversationIds)) inUse.add(id);
      const deleted = ended.flatMap(({ id, conversationId }) => (inUse.has(conversationId) ? [] : id));
      const ids = await lockUnlocked(tx, deleted);
      for (const [table, column] of [
        ["delivery_attempt", "message_id"],
        ["message", "id"],
      ])
        if (ids.length > 0)
          await tx.query(`delete from ${table} where ${column} in ${placeholders(1, ids.length)}`, ids);
      const last = rows.at(-1)?.id ?? after;
      tx.afterCommit(() => {
        walk.after = last;
      });
      return rows.length < limit ? undefined : last;
    },
    { signal },
  );
}

/** Locks messages, except messages locked by other transactions, until the transaction ends. */
async function lockUnlocked(tx: Tx, ids: string[]): Promise<string[]> {
  const lock = tx.updateLock({ skipLocked: true });
  // A database with a single writer has no concurrent write transactions.
  if (lock === "" || ids.length === 0) return ids;
  const rows: { id: string }[] = await tx.query(
    `select id from message where id in ${placeholders(1, ids.length)} order by id ${lock}`,
    ids,
  );
  return rows.map(({ id }) => id);
}
