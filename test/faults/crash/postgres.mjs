import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { newPostgres } from "../../support/embedded-postgres.mjs";

const START_LIMIT_MS = 30_000;

/** Starts a separate PostgreSQL server with default settings, which can be killed and restarted with its data. */
export async function startPostgres() {
  const { server: postgres, databaseDir, url, said } = await newPostgres("crash");
  const start = async () => {
    const giveUpAt = Date.now() + START_LIMIT_MS;
    // The remains of a killed server may still hold its shared memory for a moment.
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
    /** URL without a database. */
    url,
    createDatabase: (name) => postgres.createDatabase(name),
    /**
     * @param signal SIGKILL, or SIGQUIT for an immediate shutdown
     * @param downMs time until it is restarted (ms)
     */
    async kill(signal, downMs) {
      const { process: server } = postgres;
      // The server's children hold its output open, so all of them have exited when the output closes.
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
