import { setTimeout } from "node:timers/promises";

/** Time between two checks (ms), so that the checks do not compete with the work that they wait for. */
const PAUSE_MS = 10;

/**
 * Time after which a condition counts as never met (ms); shorter than the timeout of a test, so that the error contains
 * the condition.
 */
const TIMEOUT_MS = 90_000;

/**
 * Waits until a condition holds. It must stay true, because a condition that holds for milliseconds could be missed
 * between two checks.
 * @throws Error with the text of the condition if it takes too long
 */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  // Independent of the clocks, which some tests stop.
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  while (!(await holds())) {
    if (timeout.aborted) throw new Error(`This did not hold within ${TIMEOUT_MS / 1000} seconds: ${holds}`);
    await setTimeout(PAUSE_MS);
  }
}

/** Returns a promise with the function that resolves it, like `Promise.withResolvers` of newer versions of Node.js. */
export function withResolver<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
