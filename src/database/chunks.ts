import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "./database";
import type { Tx } from "./unit-of-work";

/** Target duration of a chunk (ms); short, because other writers wait for it. */
const CHUNK_MS = 25;
const FIRST_CHUNK = 200;
const MAX_CHUNK = 5_000;
/** Min pause between two chunks (ms), the interval at which other processes poll SQLite's write lock. */
const MIN_PAUSE_MS = 100;

/**
 * Does part of the work in the transaction.
 * @param after result of the previous chunk; undefined in the first chunk
 * @param limit max rows
 * @returns where the next chunk starts; undefined when nothing is left
 */
export type Chunk<Position> = (
  tx: Tx,
  after: Position | undefined,
  limit: number,
) => Promise<Position | undefined>;

/** The owner of the work and its abort signal. */
export interface ChunkOptions {
  /** The ID of the organization, as in `Database.writeFor`. */
  owner?: string | undefined;
  /** Stops the work after the current chunk. */
  signal?: AbortSignal | undefined;
}

/**
 * Does work in short transactions, each followed by a pause at least as long as the transaction took.
 * @returns true if all work is done
 */
export async function inChunks<Position>(
  database: Database,
  chunk: Chunk<Position>,
  { owner, signal }: ChunkOptions = {},
): Promise<boolean> {
  let after: Position | undefined;
  for (let limit = FIRST_CHUNK; !signal?.aborted; ) {
    let took = 0;
    // Measured inside the transaction, to exclude the wait for the write lock.
    after = await database.writeFor(owner, async (tx) => {
      const began = performance.now();
      const next = await chunk(tx, after, limit);
      took = performance.now() - began;
      return next;
    });
    if (after === undefined) return true;
    // At most double the chunk, because later rows may take longer.
    limit = Math.max(1, Math.min(Math.round((limit * CHUNK_MS) / took), 2 * limit, MAX_CHUNK));
    await pause(Math.max(took, MIN_PAUSE_MS), undefined, { signal, ref: false }).catch(() => undefined);
  }
  return false;
}
