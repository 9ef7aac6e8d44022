import { printRows } from "../../src/cli/output";
import { StartupError } from "../../src/errors";
import { oneLine, reportAndExit, tolerateClosedPipe } from "../../src/exit";

/** Returns the pieces that are written to an output. */
function written(output: "stdout" | "stderr", work: () => void): string[] {
  const pieces: string[] = [];
  const write = jest.spyOn(process[output], "write").mockImplementation((piece) => {
    pieces.push(String(piece));
    return true;
  });
  try {
    work();
  } finally {
    write.mockRestore();
  }
  return pieces;
}

test("a table can have more rows than a call can have arguments", () => {
  const rows = Array.from({ length: 150_000 }, (_, i) => ({ name: `k${i}`, agent: null }));
  const lines = written("stdout", () => printRows(false, rows, "name agent", "No keys."));
  expect(lines).toHaveLength(rows.length + 1);
  expect(lines.slice(0, 2)).toEqual(["NAME     AGENT\n", "k0       -\n"]);
});

test("a list is written as one line of JSON, item by item", () => {
  const json = (rows: object[]) => written("stdout", () => printRows(true, rows, "name", "No keys."));
  const rows = ["a", "b\u009b", "c"].map((name) => ({ name }));
  expect(json(rows)).toEqual(['[{"name":"a"}', ',{"name":"b\\u009b"}', ',{"name":"c"}', "]\n"]);
  expect(json([])).toEqual(["[]\n"]);
});

test("an agent is shown by its slug, or by its name if only the name is known", () => {
  const rows = [{ agent: "The shop" }, { agent: { slug: "shop" } }, { agent: null }];
  expect(JSON.parse(written("stdout", () => printRows(true, rows, "agent", "")).join(""))).toEqual([
    { agent: "The shop" },
    { agent: "shop" },
    { agent: null },
  ]);
});

test("the reason for a failure is one line without control characters", () => {
  const exit = jest.spyOn(process, "exit").mockImplementation(() => undefined as never);
  const reported = written("stderr", () => reportAndExit(new StartupError("x\r\n\u001b[2J\u202ey")));
  expect(exit).toHaveBeenCalledWith(1);
  exit.mockRestore();
  expect(reported).toEqual(["gateway: x ?[2J?y\n"]);
  expect(oneLine("error: unknown\n(Did you mean it?)\n")).toBe("error: unknown (Did you mean it?)");
});

test("output without a reader is dropped, and the exit code remains that of the command", () => {
  const exit = jest.spyOn(process, "exit").mockImplementation(() => undefined as never);
  const listeners = process.stdout.listeners("error");
  tolerateClosedPipe();
  process.stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  expect(exit).not.toHaveBeenCalled();
  for (const listener of process.stdout.listeners("error"))
    if (!listeners.includes(listener)) process.stdout.off("error", listener as () => void);
  exit.mockRestore();
});
