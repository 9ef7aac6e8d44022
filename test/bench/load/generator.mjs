import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Starts the load generator in a separate process, because it would otherwise influence its own measurements.
 */
export function startGenerator() {
  const child = fork(fileURLToPath(new URL("child.mjs", import.meta.url)), {
    // Room for the prepared requests, so that there is little garbage collection during measurements.
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
     * Runs one load at a time.
     * @param task as in `load` of child.mjs
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
