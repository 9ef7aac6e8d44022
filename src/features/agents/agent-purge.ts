import type { Logger } from "pino";
import { type EntityTarget, type FindOptionsWhere, IsNull, Not, type ObjectLiteral } from "typeorm";
import { HOUR_MS, timestamp } from "../../common/time";
import type { ChunkOptions } from "../../database/chunks";
import type { Database } from "../../database/database";
import { type Dependents, deleteInChunks } from "../../database/delete-in-chunks";
import { type JobOptions, SerialJobs } from "../../database/serial-jobs";
import type { HookRegistry } from "../../schema/hooks";
import { Agent } from "./agent.entity";

/** Max time after an agent's deletion in which transactions that started earlier can still add rows (ms). */
const LATE_ROWS_MS = HOUR_MS;

/** Deletes a feature's data about a deleted agent; returns true when all is deleted. Must be idempotent. */
export type PurgeStep = (agentId: string, options: ChunkOptions) => Promise<boolean>;

declare module "../../schema/hooks" {
  interface Hooks {
    /** Purges a deleted agent. Hooks run in reverse feature order, because rows refer to earlier features' rows. */
    agentPurged: PurgeStep;
  }
}

/** Deletes deleted agents' rows in chunks, one agent per organization at a time. Housekeeping resumes stopped purges. */
export class AgentPurge {
  private readonly jobs: SerialJobs;

  constructor(
    private readonly database: Database,
    log: Logger,
    private readonly hooks: HookRegistry,
  ) {
    this.jobs = new SerialJobs(
      (agentId, options) => this.purge(agentId, options),
      (err, agentId) =>
        log.warn({ err, agentId }, "could not purge a deleted agent, so housekeeping will try again"),
    );
  }

  /** Purges a deleted agent in the background. */
  start({ id, organizationId: owner }: Agent): void {
    void this.jobs.run(id, { owner });
  }

  /** Purges every deleted agent that may still have rows, until the signal is aborted. */
  async finishAll(signal: AbortSignal): Promise<void> {
    const deleted = await this.database.read((reader) =>
      reader.find(Agent, {
        select: ["id", "organizationId"],
        where: { deletedAt: Not(IsNull()), purgedAt: IsNull() },
        withDeleted: true,
        order: { deletedAt: "ASC" },
      }),
    );
    // Purges one agent at a time, because parallel purges would leave little database capacity for requests.
    for (const { id, organizationId: owner } of deleted) await this.jobs.run(id, { owner, signal });
  }

  /** Stops all purges after their current chunks. */
  close(): Promise<void> {
    return this.jobs.close();
  }

  private async purge(id: string, options: JobOptions): Promise<void> {
    const settledBefore = timestamp(-LATE_ROWS_MS);
    for (const hook of [...this.hooks.of("agentPurged")].reverse()) if (!(await hook(id, options))) return;
    await this.database.writeFor(options.owner, (tx) =>
      tx
        .createQueryBuilder()
        .update(Agent)
        .set({ purgedAt: timestamp() })
        .where("id = :id AND deleted_at < :settledBefore", { id, settledBefore })
        .execute(),
    );
  }
}

/**
 * Creates a purge step that deletes an agent's rows from a table with an `agentId`.
 * @param dependents other tables, each with the column that refers to these rows
 * @param where condition on the rows to delete; an index on `agentId` and `id` must contain all matching rows
 */
export const purgeRows =
  (
    database: Database,
    entity: EntityTarget<ObjectLiteral & { id: string; agentId: string }>,
    dependents: Dependents = [],
    where: FindOptionsWhere<ObjectLiteral> = {},
  ): PurgeStep =>
  (agentId, options) =>
    deleteInChunks(database, entity, { agentId, ...where }, options, dependents);
