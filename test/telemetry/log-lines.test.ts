import { shortened } from "../../src/logger";

const LIMIT = 4_096;

const lineOf = (stack: string) =>
  `${JSON.stringify({ level: 50, err: { message: "m", stack }, msg: "failed" })}\n`;

test("a worker's log line fits into one write to a pipe, without the end of its stack", () => {
  const [short, long] = ["at x\n".repeat(10), "at \u00e9\n".repeat(2_000)];
  expect(shortened(lineOf(short))).toBe(lineOf(short));
  const line = shortened(lineOf(long));
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LIMIT);
  expect(line.endsWith("}\n")).toBe(true);
  const { err, ...rest } = JSON.parse(line);
  expect(rest).toEqual({ level: 50, msg: "failed" });
  expect(err.message).toBe("m");
  expect(long.startsWith(err.stack)).toBe(true);
});
