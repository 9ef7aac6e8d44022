import { WebSocket } from "ws";

/**
 * Connects to the GraphQL API by WebSocket, as a raw connection of the traffic.
 * @returns the `socket`, and `closed`, a promise of the close code; 0 if the connection broke
 */
export function connectSocket(traffic) {
  const createConnection = () => traffic.open();
  const socket = new WebSocket(`ws://127.0.0.1:${traffic.port}/graphql`, "graphql-transport-ws", {
    createConnection,
  });
  socket.on("error", () => {});
  const closed = new Promise((resolve) => {
    socket.once("close", (code) => {
      const status = code === 1006 ? 0 : code;
      traffic.count(status);
      resolve(status);
    });
  });
  return { socket, closed };
}
