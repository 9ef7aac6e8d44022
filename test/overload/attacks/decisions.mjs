// 64 connections submit situations to one agent, whose decisions wait for each other.
const CONNECTIONS = 64;

export async function run(traffic, { key }) {
  const request = {
    method: "POST",
    path: "/agent/decisions",
    headers: { authorization: `Bearer ${key}` },
    body: { situation: { type: "order.shipped", data: {} } },
  };
  await traffic.closedLoop(CONNECTIONS, () => traffic.send(request));
}
