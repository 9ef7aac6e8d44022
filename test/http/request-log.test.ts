import pino from "pino";
import { mintSessionToken } from "../../src/credentials/token-format";
import { lazyLog } from "../../src/http/lazy-log";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

describe("the log of a request", () => {
  const METHODS = ["fatal", "error", "warn", "info", "debug", "trace"] as const;

  /** The log of a request, the lines of the server's log, and how many children that has had. */
  function requestLog(options = {}) {
    const lines: Record<string, unknown>[] = [];
    let children = 0;
    const onChild = () => {
      children += 1;
    };
    const server = pino({ level: "trace", onChild }, { write: (line) => lines.push(JSON.parse(line)) });
    return { log: lazyLog(server, { reqId: "r1" }, options), lines, children: () => children };
  }

  test.each(METHODS)("writes %s with the request's ID and the details, as one child", (method) => {
    const { log, lines, children } = requestLog();
    expect(children()).toBe(0);
    log[method]({ detail: 1 }, "first %s", "time");
    log[method](new Error("second"));
    expect(children()).toBe(1);
    const level = pino.levels.values[method];
    expect(lines).toEqual([
      expect.objectContaining({ level, reqId: "r1", detail: 1, msg: "first time" }),
      expect.objectContaining({ level, reqId: "r1", err: expect.objectContaining({ message: "second" }) }),
    ]);
  });

  test("has a level of its own, and children with its bindings", () => {
    const { log, lines } = requestLog({ level: "error" });
    log.info("not written");
    expect(log.level).toBe("error");
    log.child({ part: "p" }).error("written");
    expect(lines).toEqual([expect.objectContaining({ reqId: "r1", part: "p", msg: "written" })]);
  });
});

describe("the ID of a request", () => {
  const gateway = suiteGateway(sqlite);
  const idFor = async (given: string) => {
    const { headers } = await gateway.rest("GET", "/nowhere", { headers: { "x-request-id": given } });
    return headers.get("x-request-id");
  };

  test.each<[string, (key: string) => string]>([
    ["an API key", (key) => key],
    ["an API key without its checksum", (key) => key.slice(0, -6)],
    ["an API key in capitals", (key) => key.toUpperCase()],
    ["an API key after other text", (key) => `id_${key.slice(0, -6)}`],
    ["an API key after letters", (key) => `x${key}`],
    ["the start of a session token", () => `ags_${"A".repeat(43)}`],
    ["a session token after letters", () => `x${mintSessionToken()}`],
  ])("is a new one in place of %s, which neither the answer nor the log has", async (_, given) => {
    const id = given(gateway.key);
    expect(await idFor(id)).toMatch(/^[\da-f-]{36}$/);
    expect(gateway.log()).not.toContain(id);
  });

  test.each(["feature-flags_7", "8f14e45f-ceea-467f-a1d0", "tags_1", "a".repeat(64)])(
    "may be %s",
    async (id) => {
      expect(await idFor(id)).toBe(id);
      expect(gateway.log()).toContain(`"reqId":"${id}"`);
    },
  );
});
