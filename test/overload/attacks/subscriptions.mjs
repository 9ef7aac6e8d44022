// One key opens 1,000 subscriptions of 49 fields each and queues 49 messages; every subscription gets all of their
// events.
import { connectSocket } from "../web-socket.mjs";

export const expect = {
  addedP99Ms: 1_000,
  peakMebibytes: 450,
  openFilesLeft: 20,
  recoveryMs: 10_000,
};

const SOCKETS = 50;
const SUBSCRIPTIONS_OF_SOCKET = 20;
const MESSAGES = 49;
const FIELDS = Array.from({ length: 49 }, (_, i) => `a${i}: subject`).join(" ");
const SUBSCRIPTION = { query: `subscription { events(after: "0") { ${FIELDS} } }` };

export async function run(traffic, { key }) {
  const headers = { authorization: `Bearer ${key}` };
  let results = 0;
  const follow = () => {
    const { socket } = connectSocket(traffic);
    const send = (message) => socket.send(JSON.stringify(message));
    socket.once("open", () => send({ type: "connection_init", payload: { authorization: `Bearer ${key}` } }));
    socket.on("message", (message) => {
      const { type } = JSON.parse(String(message));
      if (type === "next") results += 1;
      if (type !== "connection_ack") return;
      for (let id = 0; id < SUBSCRIPTIONS_OF_SOCKET; id++)
        send({ id: String(id), type: "subscribe", payload: SUBSCRIPTION });
    });
  };
  for (let i = 0; i < SOCKETS; i++) follow();
  await traffic.closedLoop(
    1,
    (i) => traffic.send({ method: "POST", path: "/messages", headers, body: { message: `message ${i}` } }),
    MESSAGES,
  );
  await traffic.untilEnd();
  return { results };
}
