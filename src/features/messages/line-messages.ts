import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../common/time";
import { createdBetween } from "../../pagination/created-between";
import { MAX_COUNT } from "../../pagination/total-count";
import { Message } from "./message.entity";
import { MessageStatus } from "./message.enums";

/**
 * Returns SQL for the ID of the line that sent or received a message or, if unsent, of its conversation's line or
 * the agent's default line.
 * @param message alias of the table
 */
export const lineIdOf = (message: string): string =>
  `CASE WHEN ${message}.line_id IS NULL OR ${message}.status IN ('queued', 'scheduled', 'proposed')
    THEN COALESCE(
      (SELECT placed.line_id FROM conversation placed WHERE placed.id = ${message}.conversation_id),
      (SELECT usual.id FROM line usual WHERE usual.agent_id = ${message}.agent_id AND usual.is_default))
    ELSE ${message}.line_id END`;

export interface QueuedOnLine {
  count: number;
  /** Number of messages that are held back, other than by an earlier message in their conversation. */
  held: number;
  oldest: Timestamp;
}

/**
 * Counts the queued messages on each of an agent's lines.
 * @param limit max messages to read, oldest first
 * @returns the lines with queued messages, by ID; `isExact` is false if the agent has more than `limit`
 */
export async function queuedOnLines(
  reader: EntityManager,
  agentId: string,
  limit = MAX_COUNT,
): Promise<{ lines: ReadonlyMap<string, QueuedOnLine>; isExact: boolean }> {
  const rows: { lineId: string; count: string; held: string; oldest: Timestamp }[] = await reader.query(
    `SELECT line_id AS "lineId", COUNT(*) AS count, COUNT(held_reason) AS held, MIN(created_at) AS oldest
     FROM (SELECT ${lineIdOf("message")} AS line_id, held_reason, created_at FROM message
       WHERE agent_id = $1 AND status = '${MessageStatus.queued}' ORDER BY id LIMIT ${limit + 1}) AS queued
     GROUP BY line_id`,
    [agentId],
  );
  const lines = rows.map(({ lineId, count, held, oldest }) => {
    return [lineId, { count: Number(count), held: Number(held), oldest }] as const;
  });
  const total = lines.reduce((sum, [, { count }]) => sum + count, 0);
  return { lines: new Map(lines), isExact: total <= limit };
}

/**
 * Counts a line's messages with a status since a time, among the agent's newest `MAX_COUNT` with this status.
 * @returns the number; `isExact` is false if the agent has more messages
 */
export async function countOnLine(
  reader: EntityManager,
  { id, agentId }: { id: string; agentId: string },
  status: MessageStatus,
  since: Date,
): Promise<{ count: number; isExact: boolean }> {
  const query = reader
    .createQueryBuilder(Message, "message")
    .select(lineIdOf("message"), "line_id")
    .where({ agentId, status })
    .orderBy("message.id", "DESC")
    .limit(MAX_COUNT + 1);
  const [sql, parameters] = createdBetween(query, { since }).getQueryAndParameters();
  const rows: { lineId: string; count: string }[] = await reader.query(
    `SELECT line_id AS "lineId", COUNT(*) AS count FROM (${sql}) AS counted GROUP BY line_id`,
    parameters,
  );
  const total = rows.reduce((sum, { count }) => sum + Number(count), 0);
  const count = Number(rows.find(({ lineId }) => lineId === id)?.count ?? 0);
  return { count, isExact: total <= MAX_COUNT };
}
