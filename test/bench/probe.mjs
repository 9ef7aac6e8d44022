import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Options that start a server that responds to `ask`. */
export const PROBED = {
  execArgv: ["--expose-gc", "--require", fileURLToPath(new URL("probe.cjs", import.meta.url))],
  ipc: true,
};

/**
 * Asks a server that was started with `PROBED`.
 * @param what a name in probe.cjs
 */
export async function ask({ child }, what, more = {}) {
  const answered = once(child, "message");
  child.send({ ask: what, ...more });
  const [{ answer }] = await answered;
  return answer;
}
