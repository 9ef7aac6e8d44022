import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type SendResult } from "../../delivery/driver";
import type { FinishedSend } from "../../delivery/lane-work";

/** Pause a line after this many permanent rejections and faults in a row. */
const MAX_REJECTIONS = 20;

/** Matches e-mail addresses, because a line's fault must not keep them after their contact is erased. */
const ADDRESSES = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g;

/** A line that cannot send, and the code of the reason. */
export interface RejectingLine {
  lineId: string;
  reason: string;
}

/** The pause reason for a line that has no fault but whose receiver rejects the messages. */
const REJECTING = "rejecting";

const isRejection = (result: SendResult): boolean =>
  result.outcome === AttemptOutcome.permanent || ("lineFault" in result && result.lineFault === "permanent");

/**
 * Counts consecutive permanent rejections and faults of lines, and stores the last fault of each line until it has sent
 * a message.
 * @returns the lines that have reached the limit
 */
export async function countRejections(tx: Tx, ended: readonly FinishedSend[]): Promise<RejectingLine[]> {
  const rejecting: RejectingLine[] = [];
  const byLine = [...groupBy(ended, ({ channelId }) => channelId)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [lineId, ofLine] of byLine) {
    const results = ofLine.map(({ result }) => result);
    const lastAccepted = results.findLastIndex(({ outcome }) => outcome === AttemptOutcome.accepted);
    const since = results.slice(lastAccepted + 1);
    const rejections = since.filter(isRejection).length;
    const [fault] = since.flatMap((result) => ("lineFault" in result ? [result] : [])).slice(-1);
    if (lastAccepted >= 0)
      await tx.query(
        `update line_traffic set rejections = 0, fault_code = null, fault_detail = null, fault_since = null
         where line_id = $1 and (rejections > 0 or fault_code is not null)`,
        [lineId],
      );
    if (rejections === 0 && fault === undefined) continue;
    const [code, detail] = [fault?.code ?? null, fault?.detail.replace(ADDRESSES, "[address]") ?? null];
    const { total, code: last } = await returning<{ total: number; code: string | null }>(
      tx,
      `insert into line_traffic (line_id, rejections, fault_code, fault_detail, fault_since, rate_per_minute, next_at, queued_until)
       values ($1, $2, $3, $4, $5, 0, 0, 0)
       on conflict (line_id) do update set rejections = line_traffic.rejections + excluded.rejections,
         fault_code = coalesce(excluded.fault_code, line_traffic.fault_code),
         fault_detail = coalesce(excluded.fault_detail, line_traffic.fault_detail),
         fault_since = coalesce(line_traffic.fault_since, excluded.fault_since)
       returning rejections as total, fault_code as code`,
      [lineId, rejections, code, detail, fault === undefined ? null : timestamp()],
    );
    if (total >= MAX_REJECTIONS && rejections > 0) rejecting.push({ lineId, reason: last ?? REJECTING });
  }
  return rejecting;
}
