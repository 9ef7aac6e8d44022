import type { Logger } from "pino";
import { In } from "typeorm";
import { indexBy } from "../../common/coalesce";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { BACKGROUND } from "../../database/limits";
import { allReturning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type SendResult } from "../../delivery/driver";
import { wasAttempted } from "../../delivery/failures";
import type { FinishedSend } from "../../delivery/lane-work";
import { LineKind } from "../lines/line.entity";
import type { LineHealth } from "../lines/line-health";
import { LineTraffic } from "../lines/line-traffic.entity";

/** Number of consecutive permanent rejections and faults after which a line is paused. */
const MAX_REJECTIONS = 20;

/** Matches e-mail addresses, which a line's stored fault must not contain; it may outlive the contact. */
const ADDRESSES = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g;

export interface RejectingLine {
  lineId: string;
  reason: string;
}

/** The reason for pausing a line that has no fault but whose receiver rejects the messages. */
const REJECTING = "rejecting";

const isRejection = (result: SendResult): boolean =>
  result.outcome === AttemptOutcome.permanent || ("lineFault" in result && result.lineFault === "permanent");

/**
 * Returns the line fault that a failed attempt indicates; undefined if only the message was rejected or nothing
 * was sent. A webhook line has a single receiver, so any failure there is a line fault.
 */
function faultOf({ channelKind, result }: FinishedSend): { code: string; detail: string } | undefined {
  if (result.outcome === AttemptOutcome.accepted || !wasAttempted(result)) return undefined;
  const { code, detail } = result;
  if (channelKind !== LineKind.webhook)
    return result.lineFault && { code, detail: detail.replace(ADDRESSES, "[address]") };
  // Omits the receiver's response text, which may quote the message.
  const [, status] = /^http_(\d+)$/.exec(code) ?? [];
  return { code, detail: status === undefined ? detail : `The receiver responded with ${status}.` };
}

interface Streak {
  hasSucceeded: boolean;
  /** Number of rejections since the last success. */
  rejections: number;
  /** The last fault since the last success; undefined if there is none. */
  fault: ReturnType<typeof faultOf>;
}

function streakOf(ended: readonly FinishedSend[]): Streak {
  const lastAccepted = ended.findLastIndex(({ result }) => result.outcome === AttemptOutcome.accepted);
  const since = ended.slice(lastAccepted + 1);
  return {
    hasSucceeded: lastAccepted >= 0,
    rejections: since.filter(({ result }) => isRejection(result)).length,
    fault: since.flatMap((each) => faultOf(each) ?? []).at(-1),
  };
}

/** True if a streak changes the line's stored traffic. */
const isNews = (
  { hasSucceeded, rejections, fault }: Streak,
  traffic: Pick<LineTraffic, "rejections" | "faultCode" | "faultDetail"> | undefined,
): boolean =>
  rejections > 0 ||
  (fault !== undefined && fault.detail !== traffic?.faultDetail) ||
  (hasSucceeded && traffic !== undefined && (traffic.rejections > 0 || traffic.faultCode !== null));

/** Counts lines' rejections and faults after the transaction that stores results and may have locked other lines. */
export class Rejections {
  /** The results of attempts that have not been counted yet, oldest first. */
  private ended: FinishedSend[] = [];
  private counting: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly lineHealth: LineHealth,
    private readonly log: Logger,
  ) {}

  /** Counts stored results, and pauses lines that have failed too many times in a row; a failure is only logged. */
  readonly count = (ended: readonly FinishedSend[]): void => {
    this.ended.push(...ended);
    this.counting ??= this.countAll();
  };

  /** Resolves once all results are counted. */
  async counted(): Promise<void> {
    await this.counting;
  }

  private async countAll(): Promise<void> {
    while (this.ended.length > 0) {
      const byLine = groupBy(this.ended, ({ channelId }) => channelId);
      this.ended = [];
      const failed = (lineIds: string[]) => (err: unknown) =>
        this.log.warn({ err, lineIds }, "could not count the rejections of lines");
      await this.changedBy(byLine)
        .then(async (changed) => {
          for (const [lineId, ended] of changed) await this.countLine(ended).catch(failed([lineId]));
        })
        .catch(failed([...byLine.keys()]));
    }
    this.counting = undefined;
  }

  /** Returns the results that change their line's traffic. */
  private async changedBy(byLine: ReadonlyMap<string, FinishedSend[]>): Promise<[string, FinishedSend[]][]> {
    const lineId = In([...byLine.keys()]);
    const rows = await this.database.read((reader) => reader.findBy(LineTraffic, { lineId }));
    const traffic = indexBy(rows, (row) => row.lineId);
    return [...byLine].filter(([id, ended]) => isNews(streakOf(ended), traffic.get(id)));
  }

  /** Uses one transaction per line, so that it never waits for a line while it holds another. */
  private async countLine(ended: readonly FinishedSend[]): Promise<void> {
    const rejecting = await this.database.write((tx) => countRejections(tx, ended), { limits: BACKGROUND });
    if (rejecting.length > 0) this.lineHealth.pauseRejecting(rejecting);
  }
}

/**
 * Counts lines' consecutive permanent rejections and faults, and stores each line's last fault until it has
 * sent a message. A fault that is already stored changes nothing.
 * @returns the lines that have reached the limit
 */
export async function countRejections(tx: Tx, ended: readonly FinishedSend[]): Promise<RejectingLine[]> {
  const rejecting: RejectingLine[] = [];
  const byLine = [...groupBy(ended, ({ channelId }) => channelId)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [lineId, ofLine] of byLine) {
    const { hasSucceeded, rejections, fault } = streakOf(ofLine);
    if (hasSucceeded)
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
