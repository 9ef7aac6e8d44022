// The product's other work for each request, for contenders on Fastify: with SAME_WORK=1, they send its headers, accept
// or create a request ID, count requests and their durations, and record the use of keys in the database. At the log
// level of the bench, neither the product nor the contenders log requests.
import { randomUUID } from "node:crypto";

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const SAFE_ID = /^[\w.:-]{1,64}$/;

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const WRITE_DELAY_MS = 1_000;
const WRITE_INTERVAL_MS = 5_000;
const LAST_USE_INTERVAL_MS = 60_000;

/** Fastify's options for the product's other work; undefined for a contender that skips it. */
export const sameWork =
  process.env.SAME_WORK === "1"
    ? {
        genReqId({ headers }) {
          const given = headers["x-request-id"];
          return given !== undefined && SAFE_ID.test(given) ? given : randomUUID();
        },
      }
    : undefined;

/**
 * Adds the work to all routes; call it before adding other hooks.
 * @returns a function to await before closing the store
 */
export function doSameWork(app, store) {
  const uses = usesOf(store);
  const durations = new Map();
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.headers(HEADERS);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    count(durations, `${request.method} ${request.routeOptions.url} ${reply.statusCode}`, reply.elapsedTime);
    if (request.caller) uses.add(request.caller.key.id, request.ip);
    done();
  });
  return uses.flush;
}

function count(durations, route, ms) {
  let each = durations.get(route);
  if (each === undefined) {
    each = { buckets: Array(SECONDS.length + 1).fill(0), seconds: 0 };
    durations.set(route, each);
  }
  const seconds = ms / 1000;
  const bucket = SECONDS.findIndex((bound) => seconds <= bound);
  each.buckets[bucket < 0 ? SECONDS.length : bucket] += 1;
  each.seconds += seconds;
}

/** Counts each key's uses per hour, and notes its last use once a minute. Both are written every few seconds. */
function usesOf(store) {
  let byKey = new Map();
  let timer;
  let writtenAt = 0;
  async function flush() {
    clearTimeout(timer);
    timer = undefined;
    const uses = JSON.stringify(Object.fromEntries(byKey));
    byKey = new Map();
    writtenAt = Date.now();
    const now = new Date(writtenAt).toISOString();
    const rested = new Date(writtenAt - LAST_USE_INTERVAL_MS).toISOString();
    await store.recordUses({ uses, hour: `${now.slice(0, 13)}:00:00.000Z`, now, rested });
  }
  return {
    add(key, ip) {
      const use = byKey.get(key);
      if (use === undefined) byKey.set(key, { count: 1, ip });
      else use.count += 1;
      timer ??= setTimeout(
        flush,
        Math.max(WRITE_DELAY_MS, writtenAt + WRITE_INTERVAL_MS - Date.now()),
      ).unref();
    },
    flush,
  };
}
