import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Starts the load generator in a separate process: in the process of the bench, or of a server, it would be
 * measured along with what it measures.
 */
export function startGenerator() {
  const child = fork(fileURLToPath(new URL("child.mjs", import.meta.url)), {
    // Room for what was drawn beforehand, so that the collector has little to do while it measures.
    execArgv: ["--max-semi-space-size=64"],
  });
  let pending;
  child.on("message", ({ result, failure }) => {
    if (failure === undefined) pending?.resolve(result);
    else pending?.reject(new Error(failure));
  });
  child.on("exit", (code) => pending?.reject(new Error(`the load generator ended with ${code}`)));
  return {
    /**
     * One load at a time.
     * @param task as `load` in child.mjs takes it
     */
    load: (task) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject };
        child.send(task);
      }),
    async close() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}
