import type { AddressInfo } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { operatorFor, type RequestContext } from "../../src/auth/context";
import { Organization } from "../../src/features/organizations/organization.entity";
import { InFlightRequests } from "../../src/http/plugins/in-flight-requests";
import {
  isSmallResponse,
  MAX_CHARACTERS,
  MAX_CHARACTERS_OF_ORGANIZATION,
  ResponseBudget,
} from "../../src/rate-limits/response-budget";
import { openRaw } from "../support/raw";
import { slowTest } from "../support/slow-test";
import { waitUntil } from "../support/wait-until";

const contextOf = (organization: string): RequestContext => ({
  ...operatorFor(Object.assign(new Organization(), { id: organization })),
  answer: {},
});

const MAX_WAITING = 3;

describe("large responses", () => {
  let app: FastifyInstance;
  let url: string;
  let budget: ResponseBudget;
  let requests: InFlightRequests;
  /** Functions that complete the responses being created with a given text. */
  let finish: ((text: string) => void)[];
  let onStart: () => void;
  let asked: Promise<number>[];

  beforeEach(async () => {
    budget = new ResponseBudget(MAX_WAITING);
    finish = [];
    asked = [];
    onStart = () => undefined;
    app = fastify();
    requests = new InFlightRequests(() => undefined);
    requests.track(app);
    app.decorateRequest("gateway", null as never);
    budget.track(app);
    app.get<{ Querystring: { organization: string; characters: string } }>("/", async (request) => {
      const { organization, characters } = request.query;
      request.callContext = contextOf(organization);
      // Apollo also copies the context.
      await budget.admit({ ...request.callContext }, Number(characters));
      const text = new Promise<string>((resolve) => finish.push(resolve));
      onStart();
      return text;
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    onStart = finishAll;
    finishAll();
    await Promise.all(asked);
    app.server.closeAllConnections();
    await app.close();
  });

  const finishAll = () => {
    for (const resolve of finish) resolve("made");
  };
  const ask = (organization: string, characters: number) => {
    const status = fetch(`${url}/?organization=${organization}&characters=${characters}`).then(
      async (reply) => {
        await reply.text();
        return reply.status;
      },
    );
    asked.push(status);
    return status;
  };
  /** Sends a request, and resolves when the response is being created. */
  const begin = async (organization: string, characters: number) => {
    const started = new Promise<void>((resolve) => {
      onStart = resolve;
    });
    const status = ask(organization, characters);
    await started;
    return { status };
  };
  const takeAll = async () => [
    await begin("first", MAX_CHARACTERS_OF_ORGANIZATION),
    await begin("second", MAX_CHARACTERS - MAX_CHARACTERS_OF_ORGANIZATION),
  ];

  slowTest("beyond the budget are 503 after a moment, and are created again when there is room", async () => {
    await takeAll();
    expect(await ask("third", 100_000)).toBe(503);
    finish[0]?.("made");
    const { status } = await begin("third", 100_000);
    finish[2]?.("made");
    expect(await status).toBe(200);
  });

  test("do not wait if many are already waiting", async () => {
    await takeAll();
    const statuses = Array.from({ length: MAX_WAITING + 1 }, () => ask("third", 100_000));
    expect(await Promise.race(statuses)).toBe(503);
    onStart = () => finish.at(-1)?.("made");
    finish[0]?.("made");
    expect((await Promise.all(statuses)).sort()).toEqual([...Array(MAX_WAITING).fill(200), 503]);
  });

  test("wait for one that is about to be sent", async () => {
    const [first] = await takeAll();
    const third = begin("third", 100_000);
    finish[0]?.("made");
    expect(await first?.status).toBe(200);
    const { status } = await third;
    finish[2]?.("made");
    expect(await status).toBe(200);
  });

  slowTest("of one organization leave room for others", async () => {
    await begin("first", MAX_CHARACTERS_OF_ORGANIZATION);
    expect(await ask("first", 100_000)).toBe(503);
    await begin("second", 100_000);
  });

  slowTest("that are rejected or fail take nothing", async () => {
    for (let i = 0; i < 5; i++) {
      const { status } = await begin("first", MAX_CHARACTERS_OF_ORGANIZATION);
      finish[i]?.(Promise.reject(new Error("failed")) as never);
      expect(await status).toBe(500);
    }
    await takeAll();
    await Promise.all([ask("third", 100_000), ask("first", 100_000), ask("second", 100_000)]);
    finishAll();
    await Promise.all(asked);
    await takeAll();
  });

  test("whose clients have disconnected take nothing after their creation", async () => {
    const client = new AbortController();
    const started = new Promise<void>((resolve) => {
      onStart = resolve;
    });
    const characters = MAX_CHARACTERS_OF_ORGANIZATION;
    const reply = fetch(`${url}/?organization=first&characters=${characters}`, { signal: client.signal });
    await started;
    client.abort();
    await expect(reply).rejects.toThrow("abort");
    finish[0]?.("made");
    await begin("first", MAX_CHARACTERS_OF_ORGANIZATION);
  });

  test.each([
    ["ready", true],
    ["still being created", false],
  ])("that are %s behind another one take nothing once their connection is closed", async (_, isReady) => {
    const { socket } = openRaw(url);
    const path = `/?organization=first&characters=${MAX_CHARACTERS_OF_ORGANIZATION / 2}`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(2));
    await waitUntil(() => finish.length === 2);
    if (isReady) finish[1]?.("made");
    await new Promise(setImmediate);
    socket.destroy();
    await waitUntil(() => requests.count === 0);
    finishAll();
    await begin("first", MAX_CHARACTERS_OF_ORGANIZATION);
  });

  test("do not hold up small ones", async () => {
    await takeAll();
    expect(isSmallResponse(50_000)).toBe(true);
    const { status } = await begin("first", 50_000);
    finish[2]?.("made");
    expect(await status).toBe(200);
  });
});
