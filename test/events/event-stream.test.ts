import { EventStreamClient } from "../support/event-stream";
import { commitEvents, lastPosition as lastOf, skipPositions } from "../support/followers";
import { mint, type TestGateway } from "../support/gateway";
import { addOrganization } from "../support/people";
import { openRaw } from "../support/raw";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const queue = (gateway: TestGateway, message: string) =>
  gateway.rest("POST", "/messages", { body: { message } });

describeGateway({ engine: "any", env: { RATE_LIMIT_PER_MINUTE: "100000" } }, (gateway) => {
  const streams: EventStreamClient[] = [];
  const open = async (
    ...args: Parameters<typeof EventStreamClient.open> extends [string, ...infer R] ? R : never
  ) => {
    const stream = await EventStreamClient.open(gateway.url, ...args);
    streams.push(stream);
    return stream;
  };
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.cut();
  });
  const lastPosition = async (): Promise<string> => {
    const { body } = await gateway.graphql("{ events(first: 1) { pageInfo { endCursor } } }");
    for (let cursor: string = body.data.events.pageInfo.endCursor; ; ) {
      const page = (await gateway.rest("GET", `/agent/events?limit=100&cursor=${cursor}`)).body;
      if (page.length < 100) return page.at(-1)?.position ?? cursor;
      cursor = page.at(-1).position;
    }
  };

  test("a stream contains each event as in the list, with position and type", async () => {
    const before = await lastPosition();
    const stream = await open(gateway.key);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    await stream.until(({ lastId }) => lastId === before);
    await queue(gateway, "one");
    await queue(gateway, "two");
    await stream.until(({ events }) => events.length === 2);
    const { body: list } = await gateway.rest("GET", `/agent/events?cursor=${before}`);
    expect(stream.events).toEqual(
      list.map((event: { position: string; type: string }) => ({
        id: event.position,
        event: event.type,
        data: event,
      })),
    );
  });

  test("it continues after Last-Event-ID, which takes precedence over the cursor, and has only the requested types", async () => {
    const before = await lastPosition();
    await queue(gateway, "three");
    const byHeader = await open(gateway.key, { query: "?cursor=0", headers: { "last-event-id": before } });
    const byCursor = await open(gateway.key, { query: `?cursor=${before}&types=message.queued` });
    const ofOthers = await open(gateway.key, {
      query: `?cursor=${before}&types=line.paused&types=line.resumed`,
    });
    for (const stream of [byHeader, byCursor]) {
      await stream.until(({ events }) => events.length > 0);
      expect(stream.events.map(({ id, event }) => [id, event])).toEqual([
        [String(BigInt(before) + 1n), "message.queued"],
      ]);
    }
    expect(ofOthers.events).toEqual([]);
  });

  test.each([
    ["no credential", null, "", {}, 401, "unauthenticated"],
    ["an unknown key", "agk_dev_nonsense", "", {}, 401, "invalid_api_key"],
    ["a position from the future", undefined, "?cursor=99999999", {}, 400, "invalid_cursor"],
    ["an invalid Last-Event-ID", undefined, "", { "last-event-id": "x" }, 400, "invalid_cursor"],
    ["an unknown type", undefined, "?types=no.such", {}, 400, "invalid_request"],
    ["a limit", undefined, "?limit=5", {}, 400, "invalid_request"],
  ])("%s is rejected as JSON before the stream starts", async (_, token, query, headers, status, code) => {
    const rejected = await open(token === undefined ? gateway.key : token, { query, headers });
    await rejected.end();
    expect([rejected.status, rejected.body]).toEqual([status, expect.objectContaining({ code, status })]);
  });

  test("after a restore, a stream from an earlier position is rejected with 410 when it is opened", async () => {
    const { agentId } = await addOrganization(gateway, "restored");
    const { secret } = await mint(gateway, { agent: "restored-agent" });
    await commitEvents(gateway, agentId);
    const last = BigInt(await lastOf(gateway, agentId));
    await skipPositions(gateway, agentId);
    for (const position of [last, last + 1n]) {
      const rejected = await open(secret, { headers: { "last-event-id": String(position) } });
      await rejected.end();
      expect([rejected.status, rejected.body.code]).toEqual([410, "position_expired"]);
    }
    const stream = await open(secret, { query: `?cursor=${await lastOf(gateway, agentId)}` });
    await commitEvents(gateway, agentId);
    await stream.until(({ events }) => events.length === 1);
  });

  test("a key without the scope, and a revoked one, are rejected", async () => {
    const { secret } = await mint(gateway, { scopes: ["pets:read" as never] });
    const rejected = await open(secret);
    await rejected.end();
    expect([rejected.status, rejected.body.code]).toEqual([403, "insufficient_scope"]);
  });

  test("pipelined streams end when their client disconnects", async () => {
    const become = (count: number) => waitUntil(() => gateway.services.liveEvents.open === count);
    await become(0);
    const { socket } = openRaw(gateway.url);
    const head = `Host: localhost\r\nAuthorization: Bearer ${gateway.key}\r\nAccept: text/event-stream`;
    socket.write(`GET /agent/events HTTP/1.1\r\n${head}\r\n\r\n`.repeat(3));
    await become(3);
    socket.destroy();
    await become(0);
  });
});
