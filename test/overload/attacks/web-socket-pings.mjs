// Clients without a key send pings on WebSockets as fast as they can, and connect again when they are disconnected.
import { setTimeout } from "node:timers/promises";
import { connectSocket } from "../web-socket.mjs";

export const expect = {
  addedP99Ms: 1_000,
  openFilesLeft: 20,
};

const CONNECTIONS = 10;
const PINGS_AT_ONCE = 200;
const MAX_BUFFERED_BYTES = 1_000_000;
const PING = JSON.stringify({ type: "ping" });

export async function run(traffic) {
  let pings = 0;
  await traffic.closedLoop(CONNECTIONS, async () => {
    const { socket, closed } = connectSocket(traffic);
    const flood = async () => {
      while (!traffic.isOver() && socket.readyState === socket.OPEN) {
        for (let i = 0; i < PINGS_AT_ONCE && socket.bufferedAmount < MAX_BUFFERED_BYTES; i++) {
          socket.send(PING);
          pings += 1;
        }
        await setTimeout(1);
      }
    };
    socket.once("open", flood);
    return { status: await closed };
  });
  return { pings };
}
