import type { Logger } from "pino";
import { systemFor } from "../../auth/context";
import type { Database } from "../../database/database";
import { BACKGROUND } from "../../database/limits";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { lockAgent } from "../agents/agent-scope";
import { recordAudit } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { lineActions } from "./line.audit";
import { Line, LineState } from "./line.entity";
import { lineEvents } from "./line-events";
import { LineTraffic } from "./line-traffic.entity";

/** Pauses lines that cannot send, so that their messages stay queued instead of failing one by one. */
export class LineHealth {
  private readonly pausing = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly log: Logger,
  ) {}

  /** Pauses lines that have failed too many times in a row; a failure to pause is only logged. */
  readonly pauseRejecting = (lines: readonly { lineId: string; reason: string }[]): void => {
    for (const { lineId: id, reason } of lines) {
      if (this.pausing.has(id)) continue;
      this.pausing.add(id);
      this.database
        .write((tx) => this.pause(tx, id, reason), { limits: BACKGROUND })
        .catch((err) => this.log.warn({ err, lineId: id }, "could not pause a line"))
        .finally(() => this.pausing.delete(id));
    }
  };

  private async pause(tx: Tx, id: string, reason: string): Promise<void> {
    const found = await tx.findOne(Line, { where: { id }, relations: { agent: { organization: true } } });
    const organization = found?.agent?.organization;
    if (found === null || organization === undefined) return;
    await lockAgent(tx, found.agentId);
    const line = await tx.findOneByOrFail(Line, { id });
    if (line.state !== LineState.active) return;
    const { name, version } = line;
    const paused = { state: LineState.paused, pausedReason: reason, version: version + 1 };
    await tx.update(Line, { id }, paused);
    recordEvents(tx, lineEvents({ ...line, ...paused }));
    await recordAudit(
      tx,
      systemFor(organization),
      lineActions.line_paused,
      { id, name, organizationId: organization.id },
      { state: [line.state, LineState.paused], pausedReason: [line.pausedReason, reason] },
    );
    await this.lanes.wakeAgents(tx, [line.agentId]);
    // The count of rejections starts over when the line is resumed.
    await tx.update(LineTraffic, { lineId: id }, { rejections: 0 });
    tx.afterCommit(() =>
      this.log.warn(
        { line: name, lineId: id, reason },
        "a line was paused because its receiver rejects every message",
      ),
    );
  }
}
