import { GraphQLString } from "graphql";
import { leafType } from "../../src/rest/json-scalars";
import fc from "../support/generated";
import { cases } from "../support/tiers";

describe("a string in a response", () => {
  const { write } = leafType(GraphQLString, {});
  const codeUnits = (max: number) =>
    fc.array(fc.integer({ min: 0, max }), { maxLength: 8 }).map((units) => String.fromCharCode(...units));

  test("is written like JSON.stringify writes it, whatever it contains", () => {
    fc.assert(
      fc.property(fc.oneof(codeUnits(0x7f), codeUnits(0xffff), fc.string({ unit: "grapheme" })), (text) => {
        expect(write(text)).toBe(JSON.stringify(text));
      }),
      { numRuns: cases(2_000) },
    );
  });

  test.each(Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)))("so is %j", (character) => {
    expect(write(`a${character}b`)).toBe(JSON.stringify(`a${character}b`));
  });

  test.each(["\ud7ff", "\ud800", "\udfff", "\ue000", "\u2028", "😀", "\udc00\ud800"])("so is %j", (text) => {
    expect(write(text)).toBe(JSON.stringify(text));
  });
});
