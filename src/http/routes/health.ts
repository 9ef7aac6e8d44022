import type { FastifyInstance } from "fastify";
import { coalesce } from "../../common/coalesce";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import { sendUnlogged } from "../error-handler";
import { MANAGEMENT } from "./management";

/** Max time that `/readyz` waits for the database (ms); most probes time out after a second. */
const TIMEOUT_MS = 800;

/** The state that determines whether the service is ready. */
export interface Readiness {
  stopping: boolean;
}

/**
 * Adds `/healthz` (the process is alive) and `/readyz` (the service accepts requests and the database responds,
 * otherwise 503). `/readyz` queries the database on each call and reports failing writes only in its body, because
 * reads still work.
 * @param more functions that return additional members for the `/readyz` response
 */
export function addHealthRoutes(
  app: FastifyInstance,
  database: Pick<Database, "canWrite" | "lastWriteSucceeded">,
  readiness: Readiness,
  more: readonly (() => Promise<object>)[],
): void {
  // Coalesces concurrent probes into one query, because the route is public.
  const probe = coalesce(
    async (calls: readonly true[]) => {
      const [canWrite, ...others] = await Promise.all([database.canWrite(), ...more.map((read) => read())]);
      const writes = canWrite && database.lastWriteSucceeded ? "ok" : "unavailable";
      const body = Object.assign({ status: "ok", writes }, ...others);
      return calls.map(() => body);
    },
    { name: "batch of readiness" },
  );
  app.get("/healthz", MANAGEMENT, async () => ({ status: "ok" }));
  app.get("/readyz", MANAGEMENT, async (request, reply) => {
    if (readiness.stopping) {
      const error = new GatewayError("unavailable", "The service is stopping.");
      request.errorCode = error.code;
      return sendUnlogged(error, request, reply);
    }
    return withTimeout(TIMEOUT_MS, probe(true));
  });
}

/** Waits for a promise, or throws `unavailable` on timeout. */
async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new GatewayError("unavailable", "The database did not respond in time."));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
