import { buildSchema, parse } from "graphql";
import type { Caller } from "../../src/auth/caller";
import {
  FIELDS_PER_SECOND,
  FIELDS_PER_SEND,
  MAX_FIELDS_AT_ONCE,
  SubscriptionResults,
} from "../../src/graphql/websocket/subscription-results";

const SELECTION = Array.from({ length: 49 }, (_, i) => `a${i}: position`).join(" ");
const DOCUMENT = `subscription ($type: String) { events(type: $type) { ${SELECTION} } }`;

const schema = buildSchema(`
  type Query { none: Int }
  type Subscription { events(type: String): Event }
  type Event { position: String }
`);

let executed: string[] = [];
/** Returns an event that records each execution of its fields. */
const event = (position: number) => ({
  events: {
    position: () => {
      executed.push(String(position));
      return String(position);
    },
  },
  // Distinguishes events with the same functions.
  id: position,
});

const callerOf = (organization: string, key: string): Caller =>
  ({ kind: "agent", key: { id: key }, organization: { id: organization } }) as Caller;

let now = 0;
/** The pending waits, each with the time when it ends. */
let waits: { until: number; wake: () => void }[] = [];
let results: SubscriptionResults;
beforeEach(() => {
  now = 0;
  executed = [];
  waits = [];
  results = new SubscriptionResults(
    (result) => result,
    () => now,
    (ms) => new Promise((wake) => waits.push({ until: now + ms, wake: () => wake(undefined) })),
  );
});

/** Runs everything that is not waiting. */
const settle = () => new Promise(setImmediate);
async function pass(ms: number): Promise<void> {
  for (const end = now + ms; ; ) {
    await settle();
    const next = Math.min(...waits.map(({ until }) => until));
    now = Math.min(next, end);
    if (next > end) return;
    for (const { until, wake } of waits) if (until === next) wake();
    waits = waits.filter(({ until }) => until !== next);
  }
}

const follow = (caller: Caller, query = DOCUMENT, variableValues: Record<string, unknown> = {}) =>
  results.writerFor(caller, query, { schema, document: parse(query), variableValues });

const TIMES = 49;

test("followers with the same document, variables and credential share one executed result", async () => {
  const caller = callerOf("one", "key");
  const item = event(1);
  const [first, ...others] = await Promise.all([follow(caller)(item), follow(caller)(item)]);
  expect(others).toEqual([first]);
  // A slow follower reads the event itself.
  expect(await follow(caller)(event(1))).toBe(first);
  expect(executed).toHaveLength(TIMES);
});

test.each<[string, () => Promise<string>]>([
  ["document", () => follow(callerOf("one", "key"), "subscription { events { position } }")(event(1))],
  ["variables", () => follow(callerOf("one", "key"), DOCUMENT, { type: "x" })(event(1))],
  ["credential", () => follow(callerOf("one", "other"))(event(1))],
  ["event", () => follow(callerOf("one", "key"))(event(2))],
])("another %s has its own result", async (_, run) => {
  await follow(callerOf("one", "key"))(event(1));
  executed = [];
  await run();
  expect(executed).not.toHaveLength(0);
});

describe("an organization that exceeds its budget", () => {
  const FOLLOWERS = 20;
  const EVENTS = 120;
  /** Follows with separate keys, so that nothing is shared, and records the events that each got. */
  const followAll = () =>
    Array.from({ length: FOLLOWERS }, (_, i) => {
      const write = follow(callerOf("busy", `key ${i}`));
      const got: string[] = [];
      const run = async () => {
        for (let position = 1; position <= EVENTS; position++) {
          const { data } = JSON.parse(await write(event(position)));
          got.push(data.events.a0);
        }
      };
      void run();
      return got;
    });

  test("executes no more than its budget, and its streams lose nothing and keep their order", async () => {
    const all = followAll();
    await pass(1_000);
    expect(executed.length).toBeLessThanOrEqual(MAX_FIELDS_AT_ONCE + FIELDS_PER_SECOND);
    expect(executed.length).toBeGreaterThan(FIELDS_PER_SECOND * 0.5);
    await pass(60_000);
    const everything = Array.from({ length: EVENTS }, (_, i) => String(i + 1));
    for (const got of all) expect(got).toEqual(everything);
  });

  test("does not delay another organization", async () => {
    followAll();
    await settle();
    let hasWritten = false;
    void follow(callerOf("other", "key"))(event(1)).then(() => {
      hasWritten = true;
    });
    await settle();
    expect(hasWritten).toBe(true);
  });
});

test("sending also counts, so that a result for many followers is not sent to all of them at the same time", async () => {
  const write = follow(callerOf("one", "key"));
  let sent = 0;
  for (let i = 0; i < 1_000; i++)
    void write(event(1)).then(() => {
      sent += 1;
    });
  await settle();
  expect(sent).toBeLessThanOrEqual(MAX_FIELDS_AT_ONCE / FIELDS_PER_SEND);
  await pass(10_000);
  expect(sent).toBe(1_000);
});
