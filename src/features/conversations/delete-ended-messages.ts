import { type EntityManager, In } from "typeorm";
import { DAY_MS, timestampOf } from "../../common/time";
import { leastUuidAt } from "../../common/uuid";
import type { Config } from "../../config";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { lockRows } from "../../database/lock-rows";
import type { HookRegistry } from "../../schema/hooks";
import { MAX_CAP_DAYS } from "../configuration/configuration.limits";
import { DeliveryAttempt } from "../messages/delivery-attempt.entity";
import { IS_UNPLACED, IS_UNSENT, Message } from "../messages/message.entity";

/** The retention setting for messages (days), and its default. */
export const MESSAGE_RETENTION = { RETENTION_MESSAGES_DAYS: 0 };

const LAST_CHANGE = "coalesce(message.updated_at, message.created_at)";

declare module "../../schema/hooks" {
  interface Hooks {
    /** Returns the conversations, among the given ones, whose messages the feature still needs. */
    conversationsInUse: (
      reader: EntityManager,
      conversationIds: readonly string[],
    ) => Promise<readonly string[]>;
  }
}

/**
 * Deletes messages that ended before the days of the retention setting, with their attempts. Keeps messages that a cap
 * counts, and all messages of a conversation while the contact waits for a reply or a feature needs them.
 * @param signal stops the work after the current chunk
 */
export async function deleteEndedMessages(
  database: Database,
  hooks: HookRegistry,
  { retention }: Pick<Config, "retention">,
  signal?: AbortSignal,
): Promise<void> {
  const { RETENTION_MESSAGES_DAYS: days } = { ...MESSAGE_RETENTION, ...retention };
  if (days === 0) return;
  const beforeMs = Date.now() - days * DAY_MS;
  const before = timestampOf(beforeMs);
  const uncountedBefore = timestampOf(Math.min(beforeMs, Date.now() - MAX_CAP_DAYS * DAY_MS));
  await inChunks<string>(
    database,
    async (tx, after = "", limit) => {
      // Selects every row up to the limit, because a chunk must be short even if it deletes nothing.
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
      if (deleted.length > 0) {
        const query = tx
          .createQueryBuilder(Message, "message")
          .select("message.id")
          .where({ id: In(deleted) });
        const ids = [...(await lockRows(tx, query, { skipLocked: true })).keys()];
        await tx.delete(DeliveryAttempt, { messageId: In(ids) });
        await tx.delete(Message, { id: In(ids) });
      }
      return rows.length < limit ? undefined : rows.at(-1)?.id;
    },
    { signal },
  );
}
