import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { type ChunkOptions, Pace } from "../../database/chunks";
import type { Database } from "../../database/database";
import { insertAll } from "../../database/insert-all";
import { type JobOptions, SerialJobs } from "../../database/serial-jobs";
import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import { Erasure } from "./erasure.entity";

/** Max time a caller waits for an erasure before the erasure continues in the background (ms). */
const MAX_WAIT_MS = 3_000;

/**
 * Erases the data that another feature stores about an organization's erased contacts. Must be idempotent.
 * @param contactIds at most `MAX_ERASED`
 * @returns true when everything is erased
 */
export type ErasureStep = (contactIds: readonly string[], options: ChunkOptions) => Promise<boolean>;

/** Max contacts erased together. */
export const MAX_ERASED = 200;

declare module "../../schema/hooks" {
  interface Hooks {
    contactErased: ErasureStep;
  }
}

/** Separates the contact IDs in the ID of a job that erases several contacts. */
const SEPARATOR = " ";

/**
 * Erases other features' data about erased contacts in chunks, one erasure at a time per organization.
 * Housekeeping resumes interrupted erasures.
 */
export class Erasures {
  private readonly jobs: SerialJobs;

  constructor(
    private readonly database: Database,
    log: Logger,
    private readonly hooks: HookRegistry,
  ) {
    this.jobs = new SerialJobs(
      (contactIds, options) => this.erase(contactIds.split(SEPARATOR), options),
      (err, contactIds) =>
        log.warn({ err, contactIds }, "could not finish an erasure, so housekeeping will try again"),
    );
  }

  /** Marks erasures as unfinished, in the transaction that erases the contacts' own data. */
  async begin(tx: Tx, contactIds: readonly string[]): Promise<void> {
    const startedAt = timestamp();
    await insertAll(
      tx,
      Erasure,
      contactIds.map((contactId) => ({ contactId, startedAt })),
    );
  }

  /** Erases a contact's remaining data, and resolves once it is erased or after a few seconds. */
  async finish(contactId: string, owner: string): Promise<void> {
    const timeout = new AbortController();
    const { signal } = timeout;
    const waited = pause(MAX_WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    await Promise.race([this.jobs.run(contactId, { owner }), waited]);
    timeout.abort();
  }

  /**
   * Erases the remaining data of at most `MAX_ERASED` contacts in an organization, however long it takes.
   * @param options.signal stops the erasure after the current chunk
   */
  async complete(
    contactIds: readonly string[],
    options: ChunkOptions & Pick<JobOptions, "owner">,
  ): Promise<void> {
    if (contactIds.length > 0) await this.jobs.run(contactIds.join(SEPARATOR), options);
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
    // One erasure at a time, because parallel ones would leave little database capacity for requests.
    const pace = new Pace(this.database);
    for (const [owner, erasures] of groupBy(left, ({ owner }) => owner))
      for (let at = 0; at < erasures.length; at += MAX_ERASED) {
        const together = erasures.slice(at, at + MAX_ERASED);
        await this.complete(
          together.map(({ contactId }) => contactId),
          { owner, signal, pace },
        );
      }
  }

  /** Stops all erasures after their current chunks. */
  close(): Promise<void> {
    return this.jobs.close();
  }

  private async erase(contactIds: readonly string[], options: JobOptions): Promise<void> {
    for (const hook of this.hooks.of("contactErased")) if (!(await hook(contactIds, options))) return;
    await this.database.writeFor(options.owner, (tx) =>
      tx.delete(Erasure, { contactId: In([...contactIds]) }),
    );
  }
}
