import { StartupError } from "../errors";
import type { Client, Run, Subject } from "./client";
import { currentTarget } from "./target";

/** Connects to the chosen server or database for the duration of `work`. */
export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const target = currentTarget();
  // Loads the services on demand, because that takes most of a second, and commands on a server do not need them.
  if (target === undefined) {
    const { withDatabaseClient }: typeof import("./database-client") = require("./database-client");
    return withDatabaseClient(work);
  }
  const { serverClient }: typeof import("./server-client") = require("./server-client");
  return work(serverClient(target)).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    throw new StartupError(`${target.endpoint.origin} sent an unexpected response`, { cause: error });
  });
}

/** Runs `work` for a subject's organization. */
export const withRun = <T>(subject: Subject, work: (run: Run) => Promise<T>): Promise<T> =>
  withClient(async (client) => work(await client.about(subject)));

/** Like `withServices` in `services.ts`, which is loaded on demand. */
export const withServices: typeof import("./services").withServices = (work) => {
  const services: typeof import("./services") = require("./services");
  return services.withServices(work);
};
