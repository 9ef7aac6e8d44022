import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DASHBOARD = join(__dirname, "../../src/dashboard");

/** The lines of the dashboard's source files, except comments, each after its file's path. */
const LINES = readdirSync(DASHBOARD, { recursive: true, encoding: "utf8" })
  .filter((file) => /(?<!\.generated)\.tsx?$/.test(file))
  .flatMap((file) =>
    readFileSync(join(DASHBOARD, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(\/?\*|\/\/|\{\/\*)/.test(line))
      .map((line) => `${file}: ${line.replace(/ \/\/ .*/, "").trim()}`),
  );

test.each([
  ["has straight apostrophes", /\w'\w/],
  [
    "writes e-mail without its hyphen",
    /\bEmails?\b|\bemails (about|from|to)\b|\b(an?|by|current|for|new|no|of|one|or|sends?|the|their|verified|your) email\b/,
  ],
  ["shows midnight as 24:00, as hour12 does in American English", /\bhour12\b/],
])("no text of the dashboard %s", (_, pattern) => {
  expect(LINES.length).toBeGreaterThan(5_000);
  expect(LINES.filter((line) => pattern.test(line))).toEqual([]);
});
