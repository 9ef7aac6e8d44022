import pino from "pino";
import { lazyLog } from "../../src/http/lazy-log";

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
