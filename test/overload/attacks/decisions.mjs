// 64 connections submit situations to one agent, whose decisions wait for each other.
export const expect = {
  clientRejected: 0,
  clientFailed: 0,
  clientUnanswered: 0,
  addedP99Ms: 2_000,
  peakMebibytes: 400,
  recoveryMs: 5_000,
};

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
