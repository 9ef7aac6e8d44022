// 16 concurrent requests each query 100 messages of 10,000 characters four times.
import { post } from "../fixture.mjs";

export const expect = {
  peakMebibytes: 600,
  largestMegabytes: 10,
};

const CONNECTIONS = 16;
/** More aliases would exceed the max response of 5,000,000 characters. */
const ALIASES = 4;
const MESSAGES = 100;
const CHARACTERS = 10_000;

const authorized = (key) => ({ authorization: `Bearer ${key}` });

/** Queues messages of the attackers' agent. */
export async function start({ port, key }) {
  const send = async (i) => {
    const body = { message: String(i).padEnd(CHARACTERS, "x") };
    const { status } = await post(port, { path: "/messages", headers: authorized(key), body });
    if (status !== 201) throw new Error(`Queuing a message was answered ${status}`);
  };
  await Promise.all(Array.from({ length: MESSAGES }, (_, i) => send(i)));
}

export async function run(traffic, { key }) {
  const fields = Array.from(
    { length: ALIASES },
    (_, i) => `a${i}: messages(first: ${MESSAGES}) { nodes { text } }`,
  );
  const request = {
    method: "POST",
    path: "/graphql",
    headers: authorized(key),
    body: { query: `{ ${fields.join(" ")} }` },
  };
  let bytes = 0;
  let largest = 0;
  await traffic.closedLoop(
    CONNECTIONS,
    async () => {
      const answer = await traffic.send(request);
      bytes += answer.bytes;
      largest = Math.max(largest, answer.bytes);
      return answer;
    },
    CONNECTIONS,
  );
  return { readMegabytes: bytes / 1e6, largestMegabytes: largest / 1e6 };
}
