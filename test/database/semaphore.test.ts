import { Semaphore, shareOf } from "../../src/database/semaphore";

const WAIT_MS = 60_000;

/**
 * Requests a permit for each owner.
 * @returns the names in the order that they got a permit; no permit is released
 */
async function ask(semaphore: Semaphore, ...names: string[]): Promise<string[]> {
  const order: string[] = [];
  for (const name of names) void semaphore.acquire(WAIT_MS, name.split(" ")[0]).then(() => order.push(name));
  await settled();
  return order;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("owners with the same number of permits take turns, each with its first waiter", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(WAIT_MS, "greedy");
  const names = ["greedy 1", "greedy 2", "greedy 3", "modest 1", "other 1", "modest 2"];
  const order = await ask(semaphore, ...names);
  expect([order, semaphore.queue]).toEqual([[], 6]);
  for (const owner of ["greedy", "greedy", "modest", "other", "greedy", "modest"]) {
    semaphore.release(owner);
    await settled();
  }
  expect(order).toEqual(["greedy 1", "modest 1", "other 1", "greedy 2", "modest 2", "greedy 3"]);
  expect(semaphore.queue).toBe(0);
  semaphore.release("greedy");
});

test("an owner alone takes all permits, and gets no further one until the others hold as many", async () => {
  const semaphore = new Semaphore(4);
  const order = await ask(semaphore, "greedy 1", "greedy 2", "greedy 3", "greedy 4", "greedy 5", "greedy 6");
  const others = await ask(semaphore, "modest 1", "modest 2", "modest 3");
  expect([order.length, others.length]).toEqual([4, 0]);
  for (let i = 0; i < 2; i++) semaphore.release("greedy");
  await settled();
  expect([order.length, others]).toEqual([4, ["modest 1", "modest 2"]]);
  semaphore.release("modest");
  await settled();
  expect([order.length, others]).toEqual([4, ["modest 1", "modest 2", "modest 3"]]);
  semaphore.release("modest");
  await settled();
  expect(order.length).toBe(5);
  for (const owner of ["greedy", "greedy", "greedy", "greedy", "modest"]) semaphore.release(owner);
});

test.each([
  [1, 1],
  [2, 1],
  [6, 4],
  [8, 6],
])(
  "of %i permits, an owner with a share holds at most %i, even if the others are free",
  async (all, share) => {
    const semaphore = new Semaphore(all, shareOf(all));
    const order = await ask(semaphore, ...Array.from({ length: all + 1 }, (_, i) => `greedy ${i}`));
    expect(order).toHaveLength(share);
    expect(await ask(semaphore, "modest 1")).toHaveLength(all > 1 ? 1 : 0);
    for (let i = 0; i <= all; i++) semaphore.release("greedy");
  },
);
