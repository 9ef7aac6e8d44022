// Anonymous clients send HEAD for the compressed script of `/docs`, which requests no byte of it.
export const expect = {
  clientRejected: 0,
  clientFailed: 0,
  clientUnanswered: 0,
  addedP99Ms: 1_000,
  attackCpuMs: 15,
  peakMebibytes: 400,
  openFilesLeft: 20,
  recoveryMs: 5_000,
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
