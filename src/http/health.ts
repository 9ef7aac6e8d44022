import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database";
import { refuseOtherMethods } from "./allowed-methods";

/**
 * `/healthz`: the process is alive. `/readyz`: the database answers too, else 503. Writes that fail alone, on a full
 * disk for one, are told in the body: to send the callers elsewhere would take the reads from them as well.
 */
export function addHealthRoutes(app: FastifyInstance, database: Database): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await database.read((reader) => reader.query("SELECT 1"));
    return { status: "ok", writes: database.takesWrites ? "ok" : "unavailable" };
  });
  for (const path of ["/healthz", "/readyz"]) refuseOtherMethods(app, path, ["GET"]);
}
