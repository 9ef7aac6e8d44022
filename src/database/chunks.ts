import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "./database";
import type { Tx, UnitOfWork } from "./unit-of-work";

/** Target duration of a chunk (ms). It is short because other writers wait until the chunk ends. */
const CHUNK_MS = 25;
/** After a chunk that takes this long (ms), the next one is smaller; on a busy machine, even small chunks are slow. */
const LONG_CHUNK_MS = 100;
/** Duration of the work between two pauses (ms). */
const WORK_MS = 50;
const FIRST_CHUNK = 200;
const MAX_CHUNK = 5_000;

/**
 * Performs part of the work in the transaction.
 * @param after result of the previous chunk; undefined for the first one. A chunk that deletes rows must continue from
 *   there; otherwise, PostgreSQL scans the deleted rows again while an older snapshot, such as a backup's, sees them
 * @param limit max rows
 * @returns where the next chunk starts; undefined when nothing is left
 */
export type Chunk<Position> = (
  tx: Tx,
  after: Position | undefined,
  limit: number,
) => Promise<Position | undefined>;

/** The owner of chunked work, its pace and its abort signal. */
export interface ChunkOptions {
  /** ID of the organization that the work is done for; organizations share the connections fairly. */
  owner?: string | undefined;
  /** Stops the work after the current chunk. */
  signal?: AbortSignal | undefined;
  /** Pace shared by the steps of a job; by default, each call of `inChunks` has its own. */
  pace?: Pace | undefined;
}

/** Pauses between transactions of background work, for at least as long as the transactions took. */
export class Pace {
  private worked = 0;

  constructor(private readonly database: Database) {}

  /**
   * Runs a unit of work with `Database.writeFor`, after a pause if the work since the last pause took long enough.
   * @returns its result and duration (ms); undefined if the signal is aborted before it starts
   */
  async write<T>(
    unit: UnitOfWork<T>,
    { owner, signal }: ChunkOptions,
  ): Promise<{ result: T; took: number } | undefined> {
    if (this.worked >= WORK_MS) {
      const length = Math.max(this.worked, this.database.minPauseMs);
      this.worked = 0;
      await pause(length, undefined, { signal, ref: false }).catch(() => undefined);
    }
    if (signal?.aborted) return undefined;
    let took = 0;
    // Measures inside the transaction, to exclude the wait for the write lock.
    const result = await this.database.writeFor(owner, async (tx) => {
      const began = performance.now();
      const result = await unit(tx);
      tx.beforeCommit(async () => {
        took = performance.now() - began;
      });
      return result;
    });
    this.worked += took;
    return { result, took };
  }
}

/** Returns the max rows after a chunk that took so long (ms): at most twice as many, as later rows may take longer. */
export function nextLimit(limit: number, took: number, max = MAX_CHUNK): number {
  if (took >= CHUNK_MS && took < LONG_CHUNK_MS) return limit;
  return Math.max(1, Math.min(Math.round((limit * CHUNK_MS) / took), 2 * limit, max));
}

/** Performs work in short transactions, with pauses between them; returns true if no work is left. */
export async function inChunks<Position>(
  database: Database,
  chunk: Chunk<Position>,
  options: ChunkOptions = {},
): Promise<boolean> {
  const { pace = new Pace(database) } = options;
  let after: Position | undefined;
  for (let limit = FIRST_CHUNK; ; ) {
    const done = await pace.write((tx) => chunk(tx, after, limit), options);
    if (done === undefined) return false;
    after = done.result;
    if (after === undefined) return true;
    limit = nextLimit(limit, done.took);
  }
}
