import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database";
import { refuseOtherMethods } from "./allowed-methods";

/** `/healthz`: the process is alive. `/readyz`: the database answers too, else 503. */
export function addHealthRoutes(app: FastifyInstance, database: Database): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await database.read((reader) => reader.query("SELECT 1"));
    return { status: "ok" };
  });
  for (const path of ["/healthz", "/readyz"]) refuseOtherMethods(app, path, ["GET"]);
}
