// Four anonymous connections repeatedly post 1 MiB of nested arrays.
export const expect = {
  addedP99Ms: 1_000,
  attackCpuMs: 30,
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
