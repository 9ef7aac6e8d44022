import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** How a PostgreSQL goes away and comes back. */
export type Order = "fast" | "immediate" | "start" | "freeze" | "thaw";

/** A PostgreSQL that a test may stop. */
export interface PostgresServer {
  /** Without a database. */
  url: string;
  /** Settles once it is done. */
  order(what: Order): Promise<void>;
  /** Stops it for good and takes its data away. */
  end(): Promise<void>;
}

/** Starts a PostgreSQL for one suite. */
export async function startPostgres(): Promise<PostgresServer> {
  const child = fork(join(__dirname, "stoppable-postgres.mjs"), { execArgv: [] });
  const exited = once(child, "exit");
  const answer = async (): Promise<{ url: string }> => {
    const [message] = await Promise.race([
      once(child, "message"),
      exited.then(() => [{ failure: "it ended" }]),
    ]);
    if (message.failure !== undefined) throw new Error(message.failure);
    return message;
  };
  const { url } = await answer();
  return {
    url,
    order: async (what) => {
      child.send(what);
      await answer();
    },
    end: async () => {
      child.disconnect();
      await exited;
    },
  };
}
