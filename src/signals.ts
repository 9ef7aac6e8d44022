import type { Logger } from "pino";
import { reportAndExit } from "./exit";

/** Signals within this interval (ms) are treated as one: the terminal signals the process, and so does npm. */
const SIGNAL_DEBOUNCE_MS = 500;

/** Handles SIGTERM and SIGINT: the first one calls `stop`; a later one calls `abort` and exits immediately. */
export function stopOnSignals(
  log: Logger,
  stop: (signal: NodeJS.Signals) => Promise<void>,
  abort = () => {},
): void {
  let stoppingSince: number | undefined;
  const handle = async (signal: NodeJS.Signals) => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now();
      await stop(signal);
    } else if (performance.now() - stoppingSince >= SIGNAL_DEBOUNCE_MS) {
      log.warn({ signal }, "stopping immediately");
      abort();
      process.exit(1);
    }
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => void handle(signal).catch((error) => reportAndExit(error)));
  }
}
