import { MAX_WAIT_MS } from "../../src/database/fair-batches";

/** Returns stored values as text, without times, and with numbers instead of IDs. */
export function comparable(stored: unknown): string {
  const known = new Map<string, number>();
  return JSON.stringify(stored, null, 1)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
      known.set(id, known.get(id) ?? known.size);
      return `#${known.get(id)}`;
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");
}

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
