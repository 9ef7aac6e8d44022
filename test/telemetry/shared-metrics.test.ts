import type { FromWorker, ToWorker } from "../../src/workers/messages";
import { SharedMetrics } from "../../src/workers/shared-metrics";
import type { Exit, WorkerProcess } from "../../src/workers/worker-process";

test("collections add nothing to a worker's `exited`, which keeps its reactions until the worker ends", async () => {
  const exited = new Promise<Exit>(() => undefined);
  const follow = jest.spyOn(exited, "then");
  let reply: (message: FromWorker) => void = () => undefined;
  let collections = 0;
  const worker = {
    exited,
    onMessage: (listener: typeof reply) => {
      reply = listener;
    },
    send: (message: ToWorker) => {
      if (message.type !== "collect") return;
      collections += 1;
      reply({ type: "collected", id: message.id, values: [] });
    },
  };
  const metrics = new SharedMetrics(() => 1);
  metrics.watch(worker as unknown as WorkerProcess);
  const followers = follow.mock.calls.length;
  for (let i = 0; i < 100; i++) await metrics.values();
  expect(collections).toBe(100);
  expect(follow).toHaveBeenCalledTimes(followers);
});
