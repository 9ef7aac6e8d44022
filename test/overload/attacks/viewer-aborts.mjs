// Anonymous clients request the compressed script of `/docs` and disconnect at its first bytes.
import { once } from "node:events";

export const expect = {
  attackCpuMs: 15,
  openFilesLeft: 20,
};

const CONNECTIONS = 32;
const MAX_ABORTS = 1_500;

export async function run(traffic) {
  const request = `GET /docs/viewer.js HTTP/1.1\r\nHost: 127.0.0.1:${traffic.port}\r\nAccept-Encoding: gzip\r\n\r\n`;
  let aborts = 0;
  await traffic.closedLoop(
    CONNECTIONS,
    async () => {
      const socket = traffic.open();
      socket.write(request);
      let status = 0;
      socket.once("data", (data) => {
        status = Number(data.latin1Slice(9, 12));
        traffic.count(status);
        aborts++;
        socket.destroy();
      });
      await once(socket, "close");
      return { status };
    },
    MAX_ABORTS,
  );
  return { aborts };
}
