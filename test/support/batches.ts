import { MAX_WAIT_MS } from "../../src/database/fair-batches";

/** Runs work whose batches wait for each other, however long they take, so that none overtakes an earlier one. */
export async function withoutOvertaking<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout: after } = globalThis;
  const waits = jest
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((run: () => void, ms?: number) =>
      after(ms === MAX_WAIT_MS ? () => undefined : run, ms)) as typeof setTimeout);
  try {
    return await work();
  } finally {
    waits.mockRestore();
  }
}
