import { groupBy } from "../../common/group-by";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome } from "../../delivery/driver";
import type { FinishedSend } from "../../delivery/lane-work";

/** Pause a line after this many permanent rejections in a row. */
const MAX_REJECTIONS = 20;

/**
 * Counts consecutive permanent rejections of messages.
 * @returns the IDs of lines that have reached the limit
 */
export async function countRejections(tx: Tx, ended: readonly FinishedSend[]): Promise<string[]> {
  const rejecting: string[] = [];
  const byLine = [...groupBy(ended, ({ channelId }) => channelId)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [lineId, ofLine] of byLine) {
    const outcomes = ofLine.map(({ result }) => result.outcome);
    const lastAccepted = outcomes.lastIndexOf(AttemptOutcome.accepted);
    const rejections = outcomes
      .slice(lastAccepted + 1)
      .filter((outcome) => outcome === AttemptOutcome.permanent).length;
    if (lastAccepted >= 0)
      await tx.query("update line_traffic set rejections = 0 where line_id = $1 and rejections > 0", [
        lineId,
      ]);
    if (rejections === 0) continue;
    const { total } = await returning<{ total: number }>(
      tx,
      `insert into line_traffic (line_id, rejections, rate_per_minute, next_at, queued_until) values ($1, $2, 0, 0, 0)
       on conflict (line_id) do update set rejections = line_traffic.rejections + excluded.rejections
       returning rejections as total`,
      [lineId, rejections],
    );
    if (total >= MAX_REJECTIONS) rejecting.push(lineId);
  }
  return rejecting;
}
