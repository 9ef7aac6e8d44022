import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { newPostgres } from "../../support/embedded-postgres.mjs";

const START_LIMIT_MS = 30_000;

/** Starts a PostgreSQL of our own with its default settings, which can be killed and comes back with its data. */
export async function startPostgres() {
  const { server: postgres, databaseDir, url, said } = await newPostgres("crash");
  const start = async () => {
    const giveUpAt = Date.now() + START_LIMIT_MS;
    // What is left of a killed server may still hold its shared memory for a moment.
    for (;;) {
      const started = await postgres.start().then(
        () => true,
        () => false,
      );
      if (started) return;
      if (Date.now() > giveUpAt) throw new Error(`PostgreSQL did not start:\n${said()}`);
      await setTimeout(50);
    }
  };
  await postgres.initialise();
  await start();
  return {
    /** Without a database. */
    url,
    createDatabase: (name) => postgres.createDatabase(name),
    /**
     * @param signal SIGKILL, or SIGQUIT for its own immediate stop
     * @param downMs how long it stays away
     */
    async kill(signal, downMs) {
      const { process: server } = postgres;
      // Its children hold its output: once that is closed, all of them have ended.
      const ended = once(server, "close");
      server.kill(signal);
      await ended;
      await setTimeout(downMs);
      await start();
    },
    async stop() {
      await postgres.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}
