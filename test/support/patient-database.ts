import { SERVING, WAITS } from "../../src/database/limits";

const REAL = [
  [SERVING, { ...SERVING }],
  [WAITS, { ...WAITS }],
] as const;
const TIMES_LONGER = 5;

function set(times: number): void {
  for (const [limits, real] of REAL)
    Object.assign(limits, Object.fromEntries(Object.entries(real).map(([name, ms]) => [name, ms * times])));
}

/**
 * Shortens the timeouts for a test file about them; call it before the file opens a database.
 * @param times a multiple of the real timeouts
 */
export function withShortTimeouts(times: number): void {
  beforeAll(() => set(times));
  afterAll(() => set(TIMES_LONGER));
}

// On a busy machine, slow statements must not cause a 503 in a test that is not about timeouts.
set(TIMES_LONGER);
