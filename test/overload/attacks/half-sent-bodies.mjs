// 800 anonymous connections send most of a 1 MB body, but not its end.
const CONNECTIONS = 800;
const BODY = 1_000_000;
const WITHHELD = 10_000;

export async function run(traffic) {
  const head = (framing) =>
    `POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:${traffic.port}\r\nContent-Type: application/json\r\n${framing}\r\n`;
  const beginning = Buffer.alloc(BODY - WITHHELD, " ");
  const framings = [
    head(`Content-Length: ${BODY}\r\n`),
    `${head("Transfer-Encoding: chunked\r\n")}${BODY.toString(16)}\r\n`,
  ];
  for (let i = 0; i < CONNECTIONS; i++) {
    const socket = traffic.open();
    socket.once("data", (data) => traffic.count(data.latin1Slice(9, 12)));
    socket.write(framings[i % framings.length]);
    socket.write(beginning);
  }
  await traffic.untilEnd();
  return { sentMegabytes: traffic.rawBytes() / 1e6 };
}
