import { AttemptOutcome } from "../../src/delivery/driver";
import { MAX_TRACKED, Senders, type Share } from "../../src/delivery/senders";

const { accepted, retryable } = AttemptOutcome;

const WEBHOOKS = new Map<string, Share>([["webhook", { by: "kind", together: 3, owner: 3, channel: 2 }]]);
/** Each line and its lane belong to a separate organization with the same name. */
const ownerOf = (laneId: string) => laneId;
const groupOf = (channelId: string) => ({ channelId, owner: ownerOf(channelId) });

/** Returns senders, and a log of their messages: `one sent`, `two given back`. */
function trySenders(max: number, shares?: ReadonlyMap<string, Share>) {
  const senders = new Senders(max, shares);
  const log: string[] = [];
  const leave = (name: string, channelId: string, mayLeave = () => true) =>
    senders.leave({
      ...groupOf(channelId),
      mayLeave,
      send: () => log.push(`${name} sent`),
      giveBack: () => log.push(`${name} given back`),
    });
  return { senders, log, leave };
}

test("messages without a free sender are sent in order, as soon as senders are free", () => {
  const { senders, log, leave } = trySenders(2);
  for (const name of ["one", "two", "three", "four"]) leave(name, "line");
  expect([log, senders.free]).toEqual([["one sent", "two sent"], -2]);
  senders.ended(groupOf("line"), accepted);
  expect(log.slice(2)).toEqual(["three sent"]);
  senders.ended(groupOf("line"), accepted);
  expect(log.slice(3)).toEqual(["four sent"]);
  senders.ended(groupOf("line"), accepted);
  senders.ended(groupOf("line"), accepted);
  expect(senders.free).toBe(2);
});

test("a message that may no longer be sent when a sender is free is given back, and the next one is sent", () => {
  const { senders, log, leave } = trySenders(1);
  let isLate = false;
  leave("one", "line");
  leave("two", "line", () => !isLate);
  leave("three", "line");
  isLate = true;
  senders.ended(groupOf("line"), accepted);
  expect(log).toEqual(["one sent", "two given back", "three sent"]);
});

test("if a line starts to fail, all but one of its messages that wait for a sender are given back", () => {
  const { senders, log, leave } = trySenders(1);
  for (const name of ["one", "two", "three"]) leave(name, "failing");
  leave("four", "other");
  senders.ended(groupOf("failing"), retryable);
  expect(log).toEqual(["one sent", "two given back", "three sent"]);
  senders.ended(groupOf("failing"), retryable);
  expect(log.at(-1)).toBe("four sent");
});

test("a transaction may take as many messages beyond the free senders as allowed", () => {
  const { senders, leave } = trySenders(2);
  leave("one", "line");
  const takes = (soonFree: number, mayWait = true) => {
    const offer = senders.offer(ownerOf, soonFree);
    return Array.from({ length: 5 }, () => offer.take("line", "line", { mayWait })).filter(Boolean).length;
  };
  expect([takes(0), takes(2), takes(2, false)]).toEqual([1, 3, 1]);
  senders.ended(groupOf("line"), retryable);
  expect(takes(2)).toBe(1);
});

test("a kind of lane with a share leaves senders to other kinds, and its groups leave some to each other", () => {
  const { senders } = trySenders(8, WEBHOOKS);
  const send = (channelId: string) =>
    senders.leave({
      ...{ ...groupOf(channelId), share: "webhook" },
      mayLeave: () => true,
      send: () => undefined,
      giveBack: () => undefined,
    });
  const takes = (channelId: string, share?: string) => {
    const offer = senders.offer(ownerOf);
    const options = { mayWait: true, ...(share !== undefined && { share }) };
    return Array.from({ length: 9 }, () => offer.take(channelId, channelId, options)).filter(Boolean).length;
  };
  expect([takes("one", "webhook"), takes("line")]).toEqual([2, 6]);
  const offer = senders.offer(ownerOf);
  const taken = ["one", "two", "three", "four"].map((channelId) =>
    offer.take(channelId, channelId, { mayWait: true, share: "webhook" }),
  );
  expect(taken).toEqual([true, true, true, false]);
  expect(offer.take("line", "line", { mayWait: true })).toBe(true);
  send("one");
  send("one");
  expect([takes("one", "webhook"), takes("two", "webhook")]).toEqual([0, 1]);
  expect(senders.excluded).toEqual([{ channels: ["one"] }]);
  send("two");
  expect([takes("three", "webhook"), takes("line")]).toEqual([0, 5]);
  expect(senders.excluded).toEqual([{ channels: ["one"] }, { kind: "webhook" }]);
  senders.ended(groupOf("one"), accepted);
  expect([takes("three", "webhook"), senders.excluded]).toEqual([1, []]);
});

test("all groups whose last attempt failed together get half of the senders, and half of their kind's share", () => {
  const { senders } = trySenders(8, WEBHOOKS);
  const leave = (channelId: string, share?: string) =>
    senders.leave({
      ...{ ...groupOf(channelId), ...(share !== undefined && { share }) },
      mayLeave: () => true,
      send: () => undefined,
      giveBack: () => undefined,
    });
  const fail = (channelId: string, share?: string) => {
    leave(channelId, share);
    senders.ended({ ...groupOf(channelId), ...(share !== undefined && { share }) }, retryable);
  };
  const endpoints = ["one", "two", "three"];
  for (const id of endpoints) fail(id, "webhook");
  const channels = ["four", "five", "six", "seven"];
  for (const id of channels) fail(id);
  expect([senders.excluded, senders.deferred]).toEqual([[], [{ channels: [...endpoints, ...channels] }]]);

  const offer = senders.offer(ownerOf);
  const take = (channelId: string, share?: string) =>
    offer.take(channelId, channelId, { mayWait: true, ...(share !== undefined && { share }) });
  expect(endpoints.map((id) => take(id, "webhook"))).toEqual([true, true, false]);
  expect(channels.map((id) => take(id))).toEqual([true, true, false, false]);
  expect([take("healthy", "webhook"), take("healthy line")]).toEqual([true, true]);

  leave("one", "webhook");
  leave("two", "webhook");
  expect(senders.excluded).toEqual([{ channels: ["one", "two", "three"] }]);
  leave("four");
  leave("five");
  expect(senders.excluded[0]?.channels?.toSorted()).toEqual([...endpoints, ...channels].sort());
  senders.ended(groupOf("four"), accepted);
  expect(senders.excluded).toEqual([{ channels: ["one", "two", "five", "three"] }]);
});

test("the failing channels of one organization leave senders to those of others", () => {
  const { senders } = trySenders(8, WEBHOOKS);
  const group = (channelId: string, owner: string) => ({ channelId, owner, share: "webhook" });
  const use = (channelId: string, owner: string) =>
    senders.leave({
      ...group(channelId, owner),
      mayLeave: () => true,
      send: () => undefined,
      giveBack: () => undefined,
    });
  const endpoints = ["one", "two", "three"];
  for (const [id, owner] of [...endpoints.map((id) => [id, "ours"]), ["four", "theirs"]] as const) {
    use(id, owner);
    senders.ended(group(id, owner), retryable);
  }
  const takes = (channelId: string, owner: string) =>
    senders.offer(() => owner).take(channelId, channelId, { mayWait: true, share: "webhook" });
  use("one", "ours");
  expect(senders.excluded).toEqual([{ channels: endpoints }]);
  expect([takes("two", "ours"), takes("four", "theirs")]).toEqual([false, true]);
});

test("a line that failed in another process counts as failing until an attempt of this one succeeds", () => {
  const { senders, leave } = trySenders(4);
  const take = (isFailing: boolean) => {
    const offer = senders.offer(ownerOf);
    return Array.from({ length: 3 }, () => offer.take("line", "line", { mayWait: true, isFailing })).filter(
      Boolean,
    );
  };
  expect(take(true)).toHaveLength(1);
  expect([senders.excluded, senders.deferred]).toEqual([[], [{ channels: ["line"] }]]);
  leave("one", "line");
  senders.ended(groupOf("line"), accepted);
  expect(take(false)).toHaveLength(3);
});

test("only the last channels to fail or to be slow are tracked, because deleted ones never succeed again", () => {
  const { senders, leave } = trySenders(4);
  const names = Array.from({ length: 2 * MAX_TRACKED }, (_, i) => `line ${i}`);
  for (const name of names) {
    leave("one", name);
    senders.ended(groupOf(name), retryable, 20_000);
  }
  const last = names.slice(MAX_TRACKED);
  expect(senders.deferred).toEqual([{ channels: last }]);
  for (const name of last.slice(0, 2)) leave("again", name);
  expect(senders.excluded).toEqual([{ channels: last }]);
});

test("a single sender also serves failing groups", () => {
  const { senders, leave } = trySenders(1);
  leave("one", "failing");
  senders.ended(groupOf("failing"), retryable);
  expect(senders.offer(ownerOf).take("failing", "failing", { mayWait: true })).toBe(true);
});

test("messages of many channels that start to fail while they wait leave senders to the others", () => {
  const { senders, log, leave } = trySenders(4);
  const failing = ["a", "b", "c", "d"];
  for (const id of failing) leave(`first of ${id}`, id);
  for (const id of failing) leave(`second of ${id}`, id);
  leave("healthy", "other");
  for (const id of failing) senders.ended(groupOf(id), retryable);
  // The last line has not failed yet when its second message is sent.
  expect(log.slice(4)).toEqual([
    ...["second of a sent", "second of b sent", "second of c given back", "second of d sent"],
    "healthy sent",
  ]);
});

test("an organization gets three quarters of the senders, but above half only what the others leave", () => {
  const { senders, log, leave } = trySenders(8);
  const leaveOne = (channelId: string, owner: string) =>
    senders.leave({
      channelId,
      owner,
      mayLeave: () => true,
      send: () => log.push(owner),
      giveBack: () => undefined,
    });
  const channels = ["one", "two", "three", "four", "five", "six", "seven"];
  for (const line of channels.slice(0, 4)) leaveOne(line, "ours");
  expect([senders.excluded, senders.deferred]).toEqual([[], [{ owners: ["ours"] }]]);
  for (const line of channels.slice(4)) leaveOne(line, "ours");
  expect([log.length, senders.free, senders.excluded]).toEqual([6, 2, [{ owners: ["ours"] }]]);
  leave("theirs", "theirs");
  expect(log.at(-1)).toBe("theirs sent");
  const offer = senders.offer(ownerOf);
  expect(["ours", "theirs"].map((owner) => offer.take(owner, "eight", { mayWait: true }))).toEqual([
    false,
    true,
  ]);
  senders.ended({ channelId: "one", owner: "ours" }, accepted);
  expect(log.filter((owner) => owner === "ours")).toHaveLength(7);
});

test("a line whose attempts take more than two seconds on average gets one sender until they are faster", () => {
  const { senders, leave } = trySenders(8);
  const takes = () => {
    const offer = senders.offer(ownerOf);
    return Array.from({ length: 3 }, () => offer.take("slow", "slow", { mayWait: true })).filter(Boolean)
      .length;
  };
  const attempt = (ms: number) => {
    leave("one", "slow");
    senders.ended(groupOf("slow"), accepted, ms);
    return takes();
  };
  const takenAfter = [7_000, 3_000, 100, 1_000, 14_000, 100, 100, 100].map(attempt);
  expect(takenAfter).toEqual([3, 1, 3, 3, 1, 1, 1, 3]);
});

test("in a group that organizations share by name, only organizations with a full share keep waiting", () => {
  const share = { by: "channel", together: 4, owner: 3, channel: 4 } as const;
  const { senders } = trySenders(16, new Map([["model", share]]));
  const ask = (owner: string) => {
    const group = { channelId: "model", owner, share: "model" };
    senders.leave({ ...group, mayLeave: () => true, send: () => undefined, giveBack: () => undefined });
    return group;
  };
  const [first] = [ask("ours"), ask("ours"), ask("ours")];
  expect(senders.excluded).toEqual([{ channels: ["model"], owners: ["ours"] }]);
  ask("theirs");
  expect(senders.excluded).toEqual([{ channels: ["model"] }]);
  senders.ended(first as ReturnType<typeof ask>, retryable, 20_000);
  expect(senders.excluded).toEqual([{ channels: ["model"], owners: ["ours"] }]);
  expect(senders.deferred).toEqual([{ channels: ["model"], owners: ["ours"] }]);
});
