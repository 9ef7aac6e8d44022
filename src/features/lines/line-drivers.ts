import { In } from "typeorm";
import { lruCache } from "../../common/lru-cache";
import { type Timestamp, timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type Send } from "../../delivery/driver";
import type { Targets } from "../../delivery/targets";
import { GatewayError } from "../../errors";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import { Line } from "./line.entity";
import { lineDriver } from "./line-driver";
import { lineTarget } from "./line-target";

/** Max lines whose drivers are cached; creating a driver requires reading the line and deriving its signing secret. */
const MAX_KEPT = 1_000;

interface Kept {
  version: number;
  /** When the previous signing secret expires; null if there is none. */
  until: Timestamp | null;
  send: Send;
}

/** Provides the drivers for lines that connect to other systems. */
export class LineDrivers {
  private readonly kept = lruCache<string, Kept>(MAX_KEPT);

  constructor(
    private readonly targets: Targets,
    private readonly instanceKey: InstanceKeyService,
  ) {}

  /** Returns the drivers for the current version of each line, by line ID. */
  async sendersOf(
    tx: Tx,
    lines: readonly Pick<Line, "id" | "version">[],
  ): Promise<ReadonlyMap<string, Send>> {
    const now = timestamp();
    const senders = new Map<string, Send>();
    const missing = new Set<string>();
    for (const { id, version } of lines) {
      const kept = this.kept.get(id);
      if (kept?.version !== version || (kept.until !== null && kept.until <= now)) missing.add(id);
      else senders.set(id, kept.send);
    }
    if (missing.size === 0) return senders;
    const rows = await tx
      .createQueryBuilder(Line, "line")
      .addSelect("line.credentials")
      .where({ id: In([...missing]) })
      .getMany();
    for (const line of rows) {
      const { id, version, previousSecretUntil: until } = line;
      const send = this.senderOf(line);
      this.kept.set(id, { version, until, send });
      senders.set(id, send);
    }
    return senders;
  }

  /** @param line a line that was read with its credentials */
  private senderOf(line: Line): Send {
    let driver: Promise<Send> | undefined;
    return async (message, attempt) => {
      driver ??= this.driverOf(line);
      try {
        return await (await driver)(message, attempt);
      } catch (error) {
        // Discards the driver, because a missing instance key may be available by the next attempt.
        driver = undefined;
        if (!(error instanceof GatewayError)) throw error;
        return {
          outcome: AttemptOutcome.retryable,
          code: "instance_key",
          detail: error.message,
          lineFault: "temporary",
        };
      }
    };
  }

  private async driverOf(line: Line): Promise<Send> {
    const send = lineDriver(this.targets, await lineTarget(line, this.instanceKey));
    if (send === undefined) throw new Error("A local line sends nothing.");
    return send;
  }
}
