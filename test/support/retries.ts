import { setTimeout } from "node:timers/promises";
import type { Reply } from "./gateway";
import { codeOf } from "./people";

/**
 * Repeats a call while the service is unavailable, after the delay given in the response, as clients do. On a busy
 * machine, many calls queued for one row take longer than a call may wait.
 */
export async function whileUnavailable(call: () => Promise<Reply>): Promise<Reply> {
  while (true) {
    const reply = await call();
    if (codeOf(reply) !== "unavailable") return reply;
    await setTimeout(Number(reply.headers.get("retry-after")) * 1000);
  }
}
