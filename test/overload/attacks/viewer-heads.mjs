// Anonymous clients send HEAD requests for the compressed script of `/docs`, which must not send any of its bytes.
export const expect = {
  addedP99Ms: 1_000,
  attackCpuMs: 15,
  openFilesLeft: 20,
};

const CONNECTIONS = 16;
const MAX_REQUESTS = 4_450;

export async function run(traffic) {
  const headers = { "accept-encoding": "gzip" };
  await traffic.closedLoop(
    CONNECTIONS,
    () => traffic.send({ method: "HEAD", path: "/docs/viewer.js", headers }),
    MAX_REQUESTS,
  );
}
