import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PRELOADED = fileURLToPath(new URL("clock.cjs", import.meta.url));

/** Creates a clock for this process and its child processes; it only jumps ahead. */
export function createClock(folder) {
  const file = join(folder, "clock");
  let aheadMs = 0;
  return {
    settings: { CLOCK_FILE: file, NODE_OPTIONS: `--require ${PRELOADED}` },
    now: () => Date.now() + aheadMs,
    jumpTo(ms) {
      aheadMs = Math.max(aheadMs, ms - Date.now());
      // Replaced atomically, because a process may be reading it.
      writeFileSync(`${file}.new`, String(aheadMs));
      renameSync(`${file}.new`, file);
    },
  };
}
