import { createHash } from "node:crypto";
import { canonicalJson, digestOf } from "../../src/features/configuration/document/canonical-json";

test("the examples of RFC 8785 get their canonical form", () => {
  const sample = `{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`;
  expect(canonicalJson(JSON.parse(sample))).toBe(
    `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
  );
  const names = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"];
  const sorted = JSON.parse(canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))) as object;
  expect(Object.keys(sorted).filter((name) => name !== "1")).toEqual([
    "\r",
    "\u0080",
    "\u00f6",
    "\u20ac",
    "\u{1f600}",
    "\ufb33",
  ]);
});

test.each([
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
])("the number %s of RFC 8785 is written as %s", (bits, text) => {
  expect(canonicalJson(Buffer.from(bits, "hex").readDoubleBE())).toBe(text);
});

test("the digest depends on the content and not on the order of members", () => {
  const digest = digestOf({ format: 1, rules: [{ id: "a", on: "*" }] });
  expect(digestOf(JSON.parse('{"rules":[{"on":"*","id":"a"}],"format":1}'))).toBe(digest);
  expect(digest).toBe(
    createHash("sha256").update('{"format":1,"rules":[{"id":"a","on":"*"}]}').digest("hex"),
  );
  expect(digestOf({ format: 1, rules: [{ id: "b", on: "*" }] })).not.toBe(digest);
});
