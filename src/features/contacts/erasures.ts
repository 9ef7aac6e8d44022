import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import { Erasure } from "./erasure.entity";

/** How long a caller waits for an erasure (ms), which then goes on in the background. */
const MAX_WAIT_MS = 3_000;

/**
 * Erases what another feature keeps about an erased contact; doing it again must change nothing.
 * @param signal stops it soon
 * @returns true if all is erased
 */
export type ErasureStep = (contactId: string, signal: AbortSignal) => Promise<boolean>;

declare module "../../schema/hooks" {
  interface Hooks {
    contactErased: ErasureStep;
  }
}

/**
 * Erases what other features keep about erased contacts: in chunks, because there may be much of it. What a process
 * leaves unfinished, housekeeping finishes.
 */
export class Erasures {
  private readonly running = new Map<string, Promise<void>>();
  private readonly stop = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
    private readonly hooks: HookRegistry,
  ) {}

  /** Marks a contact as one to finish, in the transaction that erases its own data. */
  async begin(tx: Tx, contactId: string): Promise<void> {
    await tx.insert(Erasure, { contactId, startedAt: timestamp() });
  }

  /**
   * Erases what is left of a contact.
   * @returns when that is done, or after a few seconds
   */
  async finish(contactId: string): Promise<void> {
    const timeout = new AbortController();
    const { signal } = timeout;
    const waited = pause(MAX_WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    await Promise.race([this.run(contactId), waited]);
    timeout.abort();
  }

  /**
   * Finishes what this or another process has left.
   * @param signal stops it soon
   */
  async finishAll(signal: AbortSignal): Promise<void> {
    const left = await this.database.read((reader) => reader.find(Erasure, { order: { startedAt: "ASC" } }));
    for (const { contactId } of left) if (!signal.aborted) await this.run(contactId, signal);
  }

  /** Stops after the current chunks. */
  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.running.values());
  }

  private run(contactId: string, signal?: AbortSignal): Promise<void> {
    const present = this.running.get(contactId);
    if (present !== undefined) return present;
    const stop = signal === undefined ? this.stop.signal : AbortSignal.any([signal, this.stop.signal]);
    const run = this.erase(contactId, stop)
      .catch((err) =>
        this.log.warn({ err, contactId }, "an erasure is unfinished; housekeeping goes on with it"),
      )
      .finally(() => this.running.delete(contactId));
    this.running.set(contactId, run);
    return run;
  }

  private async erase(contactId: string, signal: AbortSignal): Promise<void> {
    for (const hook of this.hooks.of("contactErased")) if (!(await hook(contactId, signal))) return;
    await this.database.write((tx) => tx.delete(Erasure, { contactId }));
  }
}
