// Anonymous connections send one small request after the other without reading responses.
export const expect = {
  // MAX_REQUESTS_IN_FLIGHT, and the requests of the client with a valid key.
  peakInFlight: 1_100,
};

const CONNECTIONS = 120;
const MAX_BYTES_PER_CONNECTION = 1_000_000;
const BATCH = 500;

export async function run(traffic) {
  const request = `GET /v1/pets HTTP/1.1\r\nHost: 127.0.0.1:${traffic.port}\r\n\r\n`;
  const batch = Buffer.from(request.repeat(BATCH));
  for (let i = 0; i < CONNECTIONS; i++) {
    const socket = traffic.open();
    // Paused before it is connected, so that nothing is ever read.
    socket.pause();
    const write = () => {
      while (!traffic.isOver() && !socket.destroyed && socket.bytesWritten < MAX_BYTES_PER_CONNECTION) {
        if (!socket.write(batch)) return;
      }
    };
    socket.on("connect", write);
    socket.on("drain", write);
  }
  await traffic.untilEnd();
  return { sentMegabytes: traffic.rawBytes() / 1e6 };
}
