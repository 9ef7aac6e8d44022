import { once } from "node:events";
import { connect, createServer } from "node:net";

/**
 * Starts a TCP proxy to a local port, to simulate a network failure. Once cut, it neither forwards data nor reports
 * that a side has closed.
 */
export async function createLink(target) {
  let isCut = false;
  const sockets = new Set();
  const add = (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer({ noDelay: true }, (near) => {
    add(near);
    if (isCut) return near.pause();
    const far = connect({ port: target, host: "127.0.0.1", noDelay: true });
    add(far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.on("data", (data) => {
        if (isCut || to.write(data)) return;
        from.pause();
        to.once("drain", () => from.resume());
      });
      from.on("close", () => isCut || to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: server.address().port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    heal() {
      isCut = false;
      endAll();
    },
    close() {
      endAll();
      server.close();
    },
  };
}
