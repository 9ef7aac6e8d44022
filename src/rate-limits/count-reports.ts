import type { CountListener, KeyCount } from "./key-windows";
import { WINDOW_MS } from "./window";

/** Max time until a count is reported (ms). */
const REPORT_INTERVAL_MS = 50;

/**
 * Reports this process's counts to the processes that share its limits: regularly, and immediately near a limit.
 * @returns a listener for `KeyWindows`
 */
export function reportCounts(
  processes: number,
  send: (counts: KeyCount[]) => void,
  now = () => performance.now(),
): CountListener {
  const pending = new Map<string, { used: number; endsAt: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const at = now();
    send([...pending].map(([keyId, { used, endsAt }]) => [keyId, used, endsAt - at]));
    pending.clear();
  };
  return (keyId, amount, { remaining, window }) => {
    const last = pending.get(keyId);
    const isSame = last !== undefined && window.endsAt - last.endsAt < WINDOW_MS / 2;
    const used = (isSame ? last.used : 0) + amount;
    pending.set(keyId, { used, endsAt: window.endsAt });
    // Together, all processes may use half of the remaining quota without reporting it, so reports are frequent only
    // near the limit.
    if (used * processes * 2 >= remaining) flush();
    else timer ??= setTimeout(flush, REPORT_INTERVAL_MS).unref();
  };
}
