import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Starts a module of this folder in a separate process. */
export function startChild(file) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)));
  const waiting = [];
  const answers = [];
  const settle = () => {
    while (waiting.length > 0 && answers.length > 0) waiting.shift()(answers.shift());
  };
  child.on("message", (message) => {
    answers.push(message);
    settle();
  });
  child.on("exit", (code) => {
    answers.push({ failure: `${file} ended with ${code}` });
    settle();
  });
  return {
    /**
     * Returns the next message of the process.
     * @param limitMs max time to wait (ms)
     */
    async next(limitMs = 120_000) {
      let timer;
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${file} had nothing to say in time`)), limitMs);
      });
      try {
        const message = await Promise.race([
          new Promise((resolve) => waiting.push(resolve) && settle()),
          late,
        ]);
        if (message.failure !== undefined) throw new Error(message.failure);
        return message;
      } finally {
        clearTimeout(timer);
      }
    },
    send: (message) => child.send(message),
    async close() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}
