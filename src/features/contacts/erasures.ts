import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { timestamp } from "../../common/time";
import type { ChunkOptions } from "../../database/chunks";
import type { Database } from "../../database/database";
import { type JobOptions, SerialJobs } from "../../database/serial-jobs";
import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import { Erasure } from "./erasure.entity";

/** Max time a caller waits for an erasure before the erasure continues in the background (ms). */
const MAX_WAIT_MS = 3_000;

/**
 * Erases the data that another feature stores about an erased contact. Must be idempotent.
 * @returns true when everything is erased
 */
export type ErasureStep = (contactId: string, options: ChunkOptions) => Promise<boolean>;

declare module "../../schema/hooks" {
  interface Hooks {
    contactErased: ErasureStep;
  }
}

/**
 * Erases the data of erased contacts in other features, one contact per organization at a time, and in chunks because
 * there may be a lot of it. Housekeeping resumes interrupted erasures.
 */
export class Erasures {
  private readonly jobs: SerialJobs;

  constructor(
    private readonly database: Database,
    log: Logger,
    private readonly hooks: HookRegistry,
  ) {
    this.jobs = new SerialJobs(
      (contactId, options) => this.erase(contactId, options),
      (err, contactId) => log.warn({ err, contactId }, "an erasure is unfinished; housekeeping continues it"),
    );
  }

  /** Marks an erasure as unfinished, in the transaction that erases the contact's own data. */
  async begin(tx: Tx, contactId: string): Promise<void> {
    await tx.insert(Erasure, { contactId, startedAt: timestamp() });
  }

  /**
   * Erases a contact's remaining data.
   * @returns when all data is erased, or after a few seconds
   */
  async finish(contactId: string, owner: string): Promise<void> {
    const timeout = new AbortController();
    const { signal } = timeout;
    const waited = pause(MAX_WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    await Promise.race([this.jobs.run(contactId, { owner }), waited]);
    timeout.abort();
  }

  /**
   * Erases a contact's remaining data, however long it takes.
   * @param signal stops the erasure after the current chunk
   */
  complete(contactId: string, owner: string, signal: AbortSignal): Promise<void> {
    return this.jobs.run(contactId, { owner, signal });
  }

  /**
   * Finishes erasures that this or another process left unfinished.
   * @param signal stops the run after the current chunk
   */
  async finishAll(signal: AbortSignal): Promise<void> {
    const left: { contactId: string; owner: string }[] = await this.database.read((reader) =>
      reader.query(
        `select contact_id as "contactId", organization_id as owner from erasure
         join contact on contact.id = contact_id join agent on agent.id = agent_id order by started_at`,
      ),
    );
    // One at a time, because parallel erasures would leave little database capacity for requests.
    for (const { contactId, owner } of left) await this.complete(contactId, owner, signal);
  }

  /** Stops after the current chunks. */
  close(): Promise<void> {
    return this.jobs.close();
  }

  private async erase(contactId: string, options: JobOptions): Promise<void> {
    for (const hook of this.hooks.of("contactErased")) if (!(await hook(contactId, options))) return;
    await this.database.writeFor(options.owner, (tx) => tx.delete(Erasure, { contactId }));
  }
}
