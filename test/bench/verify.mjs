import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { openReader } from "./queues/reader.mjs";
import { seeded } from "./random.mjs";
import { WORKLOADS } from "./workloads.mjs";

const SAMPLES = 20;
/** Max time until uses of keys are in the database (ms). */
const LIMIT_MS = 10_000;
/** Values of X-Request-Id: none, one that is sent back, and one that is unsafe. */
const REQUEST_IDS = [undefined, "verify:1", "verify 1"];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Sends the same requests of a workload to all servers, one at a time, and compares the responses, including those to
 * unknown, revoked and expired keys and to keys of a deactivated organization. Servers that do the product's other work
 * must also send the same headers and record uses of keys.
 * @param servers servers on equal copies of the data; the first one is the reference
 * @throws Error for the first response that differs, or for a key that is not rejected correctly
 */
export async function verifySame(servers, workload, { facts, secrets, refused }) {
  const { api, draw } = WORKLOADS[workload];
  const random = seeded(1);
  for (let i = 0; i < SAMPLES; i++) {
    const operation = draw(random, facts);
    const key = secrets[Math.floor(random() * secrets.length)];
    const answers = [];
    const requestId = REQUEST_IDS[i % REQUEST_IDS.length];
    for (const server of servers) answers.push(await ask(server, api, operation, key, requestId));
    const [expected, ...others] = answers;
    others.forEach(({ answer, headers }, j) => {
      const { name, doesSameWork } = servers[j + 1].contender;
      const assertSame = (theirs, right) => {
        if (isDeepStrictEqual(theirs, right)) return;
        throw new Error(
          `${name} differs in ${workload}, ${JSON.stringify(operation)}:\n` +
            `${JSON.stringify(theirs)}\ninstead of\n${JSON.stringify(right)}`,
        );
      };
      assertSame(answer, expected.answer);
      if (doesSameWork) assertSame(headers, expected.headers);
    });
  }
  for (const server of servers) if (server.contender.doesSameWork) await usesRecorded(server);
  for (const { secret, status } of refused) {
    for (const server of servers) {
      const answer = await send(server, api, draw(random, facts), secret);
      if (answer.status === status) continue;
      throw new Error(`${server.contender.name} answers ${answer.status}, not ${status}: ${answer.text}`);
    }
  }
}

async function ask(server, api, operation, key, requestId) {
  const { expected, ...response } = await send(server, api, operation, key, requestId);
  if (response.status !== expected.status || !response.text.startsWith(expected.begins))
    throw new Error(
      `${server.contender.name} answers ${response.status} ${response.text} to ${JSON.stringify(operation)}`,
    );
  const answer = server.contender.apis[api].answer(operation, {
    ...response,
    body: JSON.parse(response.text),
  });
  // Values with the same JSON are equal.
  return { answer: JSON.parse(JSON.stringify(answer)), headers: response.headers };
}

/** Waits until a server has recorded the number of uses per hour, and the last uses of keys. */
async function usesRecorded({ contender, databaseUrl }) {
  const reader = await openReader(databaseUrl);
  try {
    for (const giveUpAt = Date.now() + LIMIT_MS; ; await setTimeout(50)) {
      const [{ counted }] = await reader.rows("SELECT sum(accepted) AS counted FROM hourly_use");
      const [{ used }] = await reader.rows("SELECT count(last_used_ip) AS used FROM api_key");
      if (counted > 0 && used > 0) return;
      if (Date.now() > giveUpAt) throw new Error(`${contender.name} records no uses of keys`);
    }
  } finally {
    await reader.close();
  }
}

/** Returns the headers that must be equal; a generated request ID becomes a constant. */
function comparable(headers) {
  const { date: _, "x-request-id": id = "", ...rest } = Object.fromEntries(headers);
  return { ...rest, "x-request-id": UUID.test(id) ? "new" : id };
}

async function send({ contender, port }, api, operation, key, requestId) {
  const expected = contender.apis[api].request(operation);
  const { method, path, body, idempotencyKey } = expected;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      accept: "application/json",
      ...(requestId && { "x-request-id": requestId }),
      authorization: `Bearer ${key}`,
      ...(body && { "content-type": "application/json" }),
      ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
    },
    body: body && JSON.stringify(body),
  });
  return {
    expected,
    status: response.status,
    link: response.headers.get("link"),
    headers: comparable(response.headers),
    text: await response.text(),
  };
}
