import { setTimeout } from "node:timers/promises";

/** Time between two checks (ms): without it, the checks would compete with the work that they wait for. */
const PAUSE_MS = 10;

/** Waits until a condition holds that stays true: one that holds for milliseconds could pass between two checks. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(PAUSE_MS);
}
