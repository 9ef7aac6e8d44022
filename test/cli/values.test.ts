import { commaSeparated, parseTime } from "../../src/cli/values";

test.each([
  ["2026-11-21", "2026-11-21T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2026-11-21T08:00Z", "2026-11-21T08:00:00.000Z"],
  ["2026-11-21T08:00:00+01:00", "2026-11-21T07:00:00.000Z"],
])("a time is accepted: %s", (text, expected) => {
  expect(parseTime(text).toISOString()).toBe(expected);
});

test.each([
  "2026-02-30",
  "2026-02-29",
  "2026-13-01",
  "2026-02-30T08:00:00Z",
  "2026-02-30T08:00Z",
  "2026-11-21T25:00Z",
  "2026-11-21 (a Saturday)",
  "2026-11-21 08:00",
  "2026-11",
  "3600",
  "",
])("a time that does not exist or has other text is rejected: %s", (text) => {
  expect(() => parseTime(text)).toThrow("It must be a time");
});

test("a list is split at commas, and an empty list is rejected", () => {
  expect(commaSeparated(" pets:read, ,pets:write,")).toEqual(["pets:read", "pets:write"]);
  for (const text of ["", " ", " , "])
    expect(() => commaSeparated(text)).toThrow("The list must not be empty.");
});
