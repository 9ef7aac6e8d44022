import losslessJson from "lossless-json";
import { GatewayError } from "../../src/errors";
import { MAX_JSON_DEPTH, parseJson } from "../../src/http/plugins/json-body";
import fc from "../support/generated";
import { cases } from "../support/tiers";

const read = (text: string) => parseJson(Buffer.from(text));
const rejection = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
};

describe("a JSON body", () => {
  let exactParser: jest.SpyInstance;
  beforeEach(() => {
    exactParser = jest.spyOn(losslessJson, "parse");
  });
  afterEach(() => jest.restoreAllMocks());

  test.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
    ["both", '[{"a":', "}]"],
  ])(
    "of %s is parsed down to the deepest level allowed, and rejected unparsed beyond it",
    (_, open, close) => {
      const nested = (levels: number) => {
        const times = Math.ceil(levels / open.replace(/[^[{]/g, "").length);
        return `${open.repeat(times)}1${close.repeat(times)}`;
      };
      expect(read(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)));
      const parsers = [jest.spyOn(JSON, "parse"), exactParser.mockClear()];
      for (const levels of [MAX_JSON_DEPTH + 1, 500_000]) {
        expect(rejection(nested(levels))).toMatch(/^invalid_json: .*64 levels deep/);
      }
      for (const parser of parsers) expect(parser).not.toHaveBeenCalled();
    },
  );

  test("with brackets in a string is not nested", () => {
    const text = JSON.stringify({ text: `\\"${"[{".repeat(1000)}` });
    expect(read(text)).toEqual(JSON.parse(text));
  });

  test.each<[boolean, string, unknown]>([
    [false, '{"a":123456789012345}', { a: 123456789012345 }],
    [
      false,
      '{"a":-0.25,"b":"12345678901234567890","c":"1e5"}',
      { a: -0.25, b: "12345678901234567890", c: "1e5" },
    ],
    [true, '{"a":9007199254740993}', { a: 9007199254740993n }],
    [true, "[-9223372036854775808]", [-9223372036854775808n]],
    [true, "[1e3,1.5]", [1000, 1.5]],
    [true, '{"a":1,"a":1}', { a: 1 }],
  ])("is read by the exact parser (%s) if necessary: %s", (exact, text, value) => {
    expect(read(text)).toEqual(value);
    expect(exactParser).toHaveBeenCalledTimes(exact ? 1 : 0);
  });

  test("means the same, whichever parser reads it", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        // A long number makes the exact parser read all of it.
        const withLong = `[${text},9007199254740993]`;
        if (rejection(withLong) === "accepted") expect(read(text)).toEqual((read(withLong) as unknown[])[0]);
        else expect(rejection(text)).toBe(rejection(withLong));
      }),
      { numRuns: cases(500) },
    );
  });

  test("that is invalid is rejected without its content", () => {
    for (const text of [
      '{"password":"a secret of mine",}',
      '{"password":a secret of mine}',
      '{"a":"a secret of',
    ]) {
      expect(rejection(text)).toMatch(/^invalid_json: /);
      expect(rejection(text)).not.toContain("secret");
    }
  });
});
