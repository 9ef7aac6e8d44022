import type { FastifyInstance } from "fastify";
import { coalesce } from "../../common/coalesce";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import { MANAGEMENT } from "./management";

/** How long `/readyz` waits for the database (ms): most who ask give up after a second. */
const LIMIT_MS = 800;

/** Whether the service asks for requests. */
export interface Readiness {
  /** From the moment at which it is told to stop, until it has. */
  stopping: boolean;
}

/**
 * `/healthz`: the process is alive. `/readyz`: it takes requests and the database answers them, else 503; told within
 * a second, and never from memory. Writes that fail alone, on a full disk for one, are told in the body: to send the
 * callers elsewhere would take the reads from them as well.
 */
export function addHealthRoutes(app: FastifyInstance, database: Database, readiness: Readiness): void {
  // Anybody may ask, so askers share a query.
  const ask = coalesce(
    async (askers: readonly true[]) => {
      await database.read((reader) => reader.query("SELECT name FROM migration LIMIT 1"));
      return askers.map(() => undefined);
    },
    { name: "batch of readiness" },
  );
  app.get("/healthz", MANAGEMENT, async () => ({ status: "ok" }));
  app.get("/readyz", MANAGEMENT, async (_, reply) => {
    if (readiness.stopping) {
      // Not thrown, for it is no failure to be logged as one.
      const refusal = new GatewayError("unavailable", "The service is stopping.");
      return reply.code(refusal.status).headers(refusal.headers).send(refusal.toBody());
    }
    await within(LIMIT_MS, ask(true));
    return { status: "ok", writes: database.lastWriteSucceeded ? "ok" : "unavailable" };
  });
}

/** @throws GatewayError `unavailable` when it takes longer */
async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new GatewayError("unavailable", "The database does not answer in time."));
    }, limitMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
