// Four anonymous connections repeatedly post 1 MiB of nested arrays.
export const expect = {
  clientRejected: 0,
  clientFailed: 0,
  clientUnanswered: 0,
  addedP99Ms: 1_000,
  attackCpuMs: 30,
  peakMebibytes: 400,
  recoveryMs: 5_000,
};

const CONNECTIONS = 4;
const BODY = 1_048_576;
const LEVELS = 1_000;

export async function run(traffic) {
  const nested = "[".repeat(LEVELS) + "]".repeat(LEVELS);
  const [begin, end] = ['{"query":"{ whoami { agent { id } } }","variables":{"a":[', "]}}"];
  const count = Math.floor((BODY - begin.length - end.length) / (nested.length + 1));
  const body = begin + Array(count).fill(nested).join(",") + end;
  await traffic.closedLoop(CONNECTIONS, () => traffic.send({ method: "POST", path: "/graphql", body }));
}
