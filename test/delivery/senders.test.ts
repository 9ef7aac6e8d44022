import { AttemptOutcome } from "../../src/delivery/driver";
import { type KindShare, Senders } from "../../src/delivery/senders";

const { accepted, retryable } = AttemptOutcome;

/** Senders, and what they did with messages: `one sent`, `two given back`. */
function trySenders(max: number, kindShares?: ReadonlyMap<string, KindShare>) {
  const senders = new Senders(max, undefined, kindShares);
  const log: string[] = [];
  const leave = (name: string, lineId: string, mayLeave = () => true) =>
    senders.leave({
      lineId,
      mayLeave,
      send: () => log.push(`${name} sent`),
      giveBack: () => log.push(`${name} given back`),
    });
  return { senders, log, leave };
}

test("a message for which no sender is free leaves as soon as one is, in order", () => {
  const { senders, log, leave } = trySenders(2);
  for (const name of ["one", "two", "three", "four"]) leave(name, "line");
  expect([log, senders.free]).toEqual([["one sent", "two sent"], -2]);
  senders.ended("line", accepted);
  expect(log.slice(2)).toEqual(["three sent"]);
  senders.ended("line", accepted);
  expect(log.slice(3)).toEqual(["four sent"]);
  senders.ended("line", accepted);
  senders.ended("line", accepted);
  expect(senders.free).toBe(2);
});

test("a message that may not leave any more when a sender is free is given back, and the next one leaves", () => {
  const { senders, log, leave } = trySenders(1);
  let isLate = false;
  leave("one", "line");
  leave("two", "line", () => !isLate);
  leave("three", "line");
  isLate = true;
  senders.ended("line", accepted);
  expect(log).toEqual(["one sent", "two given back", "three sent"]);
});

test("messages that wait for a sender of a line that begins to fail are given back, all but one", () => {
  const { senders, log, leave } = trySenders(1);
  for (const name of ["one", "two", "three"]) leave(name, "failing");
  leave("four", "other");
  senders.ended("failing", retryable);
  expect(log).toEqual(["one sent", "two given back", "three sent"]);
  senders.ended("failing", retryable);
  expect(log.at(-1)).toBe("four sent");
});

test("a transaction may take as many messages beyond the free senders as it is told", () => {
  const { senders, leave } = trySenders(2);
  leave("one", "line");
  const takes = (soonFree: number, mayWait = true) => {
    const offer = senders.offer(soonFree);
    return Array.from({ length: 5 }, () => offer.take("line", { mayWait })).filter(Boolean).length;
  };
  expect([takes(0), takes(2), takes(2, false)]).toEqual([1, 3, 1]);
  senders.ended("line", retryable);
  expect(takes(2)).toBe(1);
});

test("a kind of lane with a share leaves senders to others, and its groups leave some to each other", () => {
  const { senders } = trySenders(8, new Map([["webhook", { together: 3, each: 2 }]]));
  const send = (lineId: string) =>
    senders.leave({
      ...{ lineId, kind: "webhook" },
      mayLeave: () => true,
      send: () => undefined,
      giveBack: () => undefined,
    });
  const takes = (lineId: string, kind?: string) => {
    const offer = senders.offer();
    const options = { mayWait: true, ...(kind !== undefined && { kind }) };
    return Array.from({ length: 9 }, () => offer.take(lineId, options)).filter(Boolean).length;
  };
  expect([takes("one", "webhook"), takes("line")]).toEqual([2, 8]);
  const offer = senders.offer();
  const taken = ["one", "two", "three", "four"].map((lineId) =>
    offer.take(lineId, { mayWait: true, kind: "webhook" }),
  );
  expect(taken).toEqual([true, true, true, false]);
  expect(offer.take("line", { mayWait: true })).toBe(true);
  send("one");
  send("one");
  expect([takes("one", "webhook"), takes("two", "webhook")]).toEqual([0, 1]);
  expect([senders.failingLines.busy, senders.busyKinds]).toEqual([["one"], []]);
  send("two");
  expect([takes("three", "webhook"), takes("line")]).toEqual([0, 5]);
  expect(senders.busyKinds).toEqual(["webhook"]);
  senders.ended("one", accepted);
  expect([takes("three", "webhook"), senders.busyKinds]).toEqual([1, []]);
});

test("groups whose last attempt failed get half of the senders, and half of their kind's share, all together", () => {
  const { senders } = trySenders(8, new Map([["webhook", { together: 3, each: 2 }]]));
  const leave = (lineId: string, kind?: string) =>
    senders.leave({
      ...{ lineId, ...(kind !== undefined && { kind }) },
      mayLeave: () => true,
      send: () => undefined,
      giveBack: () => undefined,
    });
  const fail = (lineId: string, kind?: string) => {
    leave(lineId, kind);
    senders.ended(lineId, retryable);
  };
  const endpoints = ["one", "two", "three"];
  for (const id of endpoints) fail(id, "webhook");
  const lines = ["four", "five", "six", "seven"];
  for (const id of lines) fail(id);
  expect(senders.failingLines).toEqual({ busy: [], idle: [...endpoints, ...lines] });

  const offer = senders.offer();
  const take = (lineId: string, kind?: string) =>
    offer.take(lineId, { mayWait: true, ...(kind !== undefined && { kind }) });
  expect(endpoints.map((id) => take(id, "webhook"))).toEqual([true, true, false]);
  expect(lines.map((id) => take(id))).toEqual([true, true, false, false]);
  expect([take("healthy", "webhook"), take("healthy line")]).toEqual([true, true]);

  leave("one", "webhook");
  leave("two", "webhook");
  expect(senders.failingLines).toEqual({ busy: ["one", "two", "three"], idle: lines });
  leave("four");
  leave("five");
  expect(senders.failingLines.idle).toEqual([]);
  expect([...senders.failingLines.busy].sort()).toEqual([...endpoints, ...lines].sort());
  senders.ended("four", accepted);
  expect(senders.failingLines.idle).toEqual(["six", "seven"]);
});

test("a line that failed in another process counts as failing until an attempt of this one succeeds", () => {
  const { senders, leave } = trySenders(4);
  const take = (isFailing: boolean) => {
    const offer = senders.offer();
    return Array.from({ length: 3 }, () => offer.take("line", { mayWait: true, isFailing })).filter(Boolean);
  };
  expect(take(true)).toHaveLength(1);
  expect(senders.failingLines).toEqual({ busy: [], idle: ["line"] });
  leave("one", "line");
  senders.ended("line", accepted);
  expect(take(false)).toHaveLength(3);
});

test("a single sender serves those that fail as well", () => {
  const { senders, leave } = trySenders(1);
  leave("one", "failing");
  senders.ended("failing", retryable);
  expect(senders.offer().take("failing", { mayWait: true })).toBe(true);
});

test("messages of many lines that begin to fail while they wait leave senders to the others", () => {
  const { senders, log, leave } = trySenders(4);
  const failing = ["a", "b", "c", "d"];
  for (const id of failing) leave(`first of ${id}`, id);
  for (const id of failing) leave(`second of ${id}`, id);
  leave("healthy", "other");
  for (const id of failing) senders.ended(id, retryable);
  // The last line has not failed yet when its second message leaves.
  expect(log.slice(4)).toEqual([
    ...["second of a sent", "second of b sent", "second of c given back", "second of d sent"],
    "healthy sent",
  ]);
});
