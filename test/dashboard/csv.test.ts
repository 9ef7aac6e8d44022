import { toCsv } from "../../src/dashboard/audit-log/csv";
import type { Entry } from "../../src/dashboard/audit-log/sentence";

const entry = (userAgent: string): Entry =>
  ({
    id: "id",
    action: "member_signed_in",
    actorKind: "member",
    actorId: "member",
    actorName: "a@example.com",
    targetId: "member",
    targetName: "a@example.com",
    targetHint: null,
    changes: [],
    detail: null,
    ip: null,
    userAgent,
    requestId: null,
    count: 1,
    createdAt: "2026-11-21T08:00:00.000Z",
  }) as Entry;

/** Returns the text of the only cell, without its quotes. */
const cellOf = (userAgent: string): string => {
  const fields = toCsv([entry(userAgent)]).split('","');
  return fields[fields.length - 3]?.replaceAll('""', '"') ?? "";
};

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(1)", "'@SUM(1)"],
  ["\uff1d1", "'\uff1d1"],
  ["a;=1+1", "a;'=1+1"],
  ["a,=1+1", "a,'=1+1"],
  ["a\t=1+1", "a\t'=1+1"],
  ['a; "=1+1', `a;' "=1+1`],
  ["a;b;@x;=y", "a;b;'@x;'=y"],
  ["Mozilla/5.0 (X11; Linux x86_64) a=b", "Mozilla/5.0 (X11; Linux x86_64) a=b"],
])("%j is not a formula in a spreadsheet, whichever separator it splits cells at", (text, cell) => {
  expect(cellOf(text)).toBe(cell);
});
