import { isDeepStrictEqual } from "node:util";
import { seeded } from "./random.mjs";
import { WORKLOADS } from "./workloads.mjs";

const SAMPLES = 20;

/**
 * Puts the same requests of a workload to all servers, one at a time, and compares what they answer; and some with
 * keys that are unknown, revoked, expired, or of a deactivated organization.
 * @param servers on equal copies of the data; the first is the one that is right
 * @throws Error for the first answer that is not the same, or for a key that is not refused as it should be
 */
export async function verifySame(servers, workload, { facts, secrets, refused }) {
  const { api, draw } = WORKLOADS[workload];
  const random = seeded(1);
  for (let i = 0; i < SAMPLES; i++) {
    const operation = draw(random, facts);
    const key = secrets[Math.floor(random() * secrets.length)];
    const answers = [];
    for (const server of servers) answers.push(await ask(server, api, operation, key));
    const [expected, ...others] = answers;
    others.forEach((answer, j) => {
      if (isDeepStrictEqual(answer, expected)) return;
      throw new Error(
        `${servers[j + 1].contender.name} differs in ${workload}, ${JSON.stringify(operation)}:\n` +
          `${JSON.stringify(answer)}\ninstead of\n${JSON.stringify(expected)}`,
      );
    });
  }
  for (const { secret, status } of refused) {
    for (const server of servers) {
      const answer = await send(server, api, draw(random, facts), secret);
      if (answer.status === status) continue;
      throw new Error(`${server.contender.name} answers ${answer.status}, not ${status}: ${answer.text}`);
    }
  }
}

async function ask(server, api, operation, key) {
  const { expected, ...response } = await send(server, api, operation, key);
  if (response.status !== expected.status || !response.text.startsWith(expected.begins))
    throw new Error(
      `${server.contender.name} answers ${response.status} ${response.text} to ${JSON.stringify(operation)}`,
    );
  const answer = server.contender.apis[api].answer(operation, {
    ...response,
    body: JSON.parse(response.text),
  });
  // What JSON cannot tell apart is the same.
  return JSON.parse(JSON.stringify(answer));
}

async function send({ contender, port }, api, operation, key) {
  const expected = contender.apis[api].request(operation);
  const { method, path, body, idempotencyKey } = expected;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      accept: "application/json",
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
    text: await response.text(),
  };
}
