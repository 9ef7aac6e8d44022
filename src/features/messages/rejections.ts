import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { allReturning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type SendResult } from "../../delivery/driver";
import { wasAttempted } from "../../delivery/failures";
import type { FinishedSend } from "../../delivery/lane-work";
import { LineKind } from "../lines/line.entity";

/** Pause a line after this many permanent rejections and faults in a row. */
const MAX_REJECTIONS = 20;

/** Matches e-mail addresses, which a line's fault must not keep after their contact is erased. */
const ADDRESSES = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g;

/** A line that cannot send, and the code of the reason. */
export interface RejectingLine {
  lineId: string;
  reason: string;
}

/** The pause reason for a line that has no fault, but whose receiver rejects the messages. */
const REJECTING = "rejecting";

const isRejection = (result: SendResult): boolean =>
  result.outcome === AttemptOutcome.permanent || ("lineFault" in result && result.lineFault === "permanent");

/**
 * Returns the fault that a failed attempt reveals in its line; undefined if only the message was rejected, or nothing
 * was sent. A mail server speaks for many recipients, but a webhook line has one receiver, so each of its failures
 * counts.
 */
function faultOf({ channelKind, result }: FinishedSend): { code: string; detail: string } | undefined {
  if (result.outcome === AttemptOutcome.accepted || !wasAttempted(result)) return undefined;
  const { code, detail } = result;
  if (channelKind !== LineKind.webhook)
    return result.lineFault && { code, detail: detail.replace(ADDRESSES, "[address]") };
  // Omits the receiver's words, which may repeat the message.
  const [, status] = /^http_(\d+)$/.exec(code) ?? [];
  return { code, detail: status === undefined ? detail : `The receiver responded with ${status}.` };
}

/**
 * Counts consecutive permanent rejections and faults of lines, and stores the last fault of each line until it has sent
 * a message. A fault that is already stored changes nothing.
 * @returns the lines that have reached the limit
 */
export async function countRejections(tx: Tx, ended: readonly FinishedSend[]): Promise<RejectingLine[]> {
  const rejecting: RejectingLine[] = [];
  const byLine = [...groupBy(ended, ({ channelId }) => channelId)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [lineId, ofLine] of byLine) {
    const lastAccepted = ofLine.findLastIndex(({ result }) => result.outcome === AttemptOutcome.accepted);
    const since = ofLine.slice(lastAccepted + 1);
    const rejections = since.filter(({ result }) => isRejection(result)).length;
    const fault = since.flatMap((each) => faultOf(each) ?? []).at(-1);
    if (lastAccepted >= 0)
      await tx.query(
        `update line_traffic set rejections = 0, fault_code = null, fault_detail = null, fault_since = null
         where line_id = $1 and (rejections > 0 or fault_code is not null)`,
        [lineId],
      );
    if (rejections === 0 && fault === undefined) continue;
    const [counted] = await allReturning<{ total: number; code: string | null }>(
      tx,
      `insert into line_traffic (line_id, rejections, fault_code, fault_detail, fault_since, rate_per_minute, next_at, queued_until)
       values ($1, $2, $3, $4, $5, 0, 0, 0)
       on conflict (line_id) do update set rejections = line_traffic.rejections + excluded.rejections,
         fault_code = coalesce(excluded.fault_code, line_traffic.fault_code),
         fault_detail = coalesce(excluded.fault_detail, line_traffic.fault_detail),
         fault_since = coalesce(line_traffic.fault_since, excluded.fault_since)
       where excluded.rejections > 0 or line_traffic.fault_detail is null or line_traffic.fault_detail <> excluded.fault_detail
       returning rejections as total, fault_code as code`,
      [
        lineId,
        rejections,
        fault?.code ?? null,
        fault?.detail ?? null,
        fault === undefined ? null : timestamp(),
      ],
    );
    if (counted !== undefined && counted.total >= MAX_REJECTIONS && rejections > 0)
      rejecting.push({ lineId, reason: counted.code ?? REJECTING });
  }
  return rejecting;
}
