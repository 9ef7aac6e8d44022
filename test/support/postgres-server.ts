import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Commands that stop or resume a PostgreSQL server. */
export type Order = "fast" | "immediate" | "start" | "freeze" | "thaw";

/** A PostgreSQL server that a test may stop. */
export interface PostgresServer {
  /** URL without a database. */
  url: string;
  /** Settles when the command has been carried out. */
  order(what: Order): Promise<void>;
  /** Stops it permanently and deletes its data. */
  end(): Promise<void>;
}

/**
 * Starts a PostgreSQL server for one suite.
 * @param fromPackage the npm package that contains the server
 */
export async function startPostgres(
  fromPackage = process.env.TEST_POSTGRES_PACKAGE,
): Promise<PostgresServer> {
  const env = { ...process.env, TEST_POSTGRES_PACKAGE: fromPackage };
  const child = fork(join(__dirname, "stoppable-postgres.mjs"), { execArgv: [], env });
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
