import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database";
import { GatewayError } from "../errors";
import { refuseOtherMethods } from "./allowed-methods";

/** How long `/readyz` waits for the database (ms); most probes give up after a second. */
const READY_WITHIN_MS = 800;

/**
 * `/healthz`: the process is alive. `/readyz`: the database answers too, and soon, else 503. Writes that fail alone, on
 * a full disk for one, are told in the body: to send the callers elsewhere would take the reads from them as well.
 */
export function addHealthRoutes(app: FastifyInstance, database: Database): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await soon(database.read((reader) => reader.query("SELECT 1")));
    return { status: "ok", writes: database.takesWrites ? "ok" : "unavailable" };
  });
  for (const path of ["/healthz", "/readyz"]) refuseOtherMethods(app, path, ["GET"]);
}

/** @throws GatewayError `unavailable` when the work takes too long */
async function soon(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const cause = new Error("the database does not answer");
    timer = setTimeout(() => reject(new GatewayError("unavailable", undefined, { cause })), READY_WITHIN_MS);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
