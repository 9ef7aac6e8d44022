import type { RequestContext } from "../../src/auth/context";
import type { Database } from "../../src/database/database";
import { LiveEvents } from "../../src/features/events/live/live-events";
import { createLogger } from "../../src/logger";

const contextOf = (id: string) =>
  ({
    caller: { kind: "agent", key: { id, scopes: ["events:read"] }, agent: { id }, organization: { id } },
    origin: { ip: null, userAgent: null, requestId: null },
  }) as unknown as RequestContext;

test("an organization that opens many streams at once leaves connections to others", async () => {
  const reads: ((start: object) => void)[] = [];
  const database = {
    listen: () => async () => undefined,
    read: () => new Promise((resolve) => reads.push(resolve)),
  };
  const live = new LiveEvents(database as unknown as Database, { maxStreams: 100 }, createLogger("silent"));
  const many = Array.from({ length: 10 }, () => live.follow(contextOf("many"), {}));
  await new Promise(setImmediate);
  expect(reads).toHaveLength(2);
  const other = live.follow(contextOf("other"), {});
  await new Promise(setImmediate);
  expect(reads).toHaveLength(3);
  for (let opened = 0; opened < 11; opened++) {
    reads[opened]?.({ id: "agent", position: 0n, last: 0n });
    await new Promise(setImmediate);
  }
  await Promise.all([...many, other]);
  expect(live.open).toBe(11);
  await live.close();
});
