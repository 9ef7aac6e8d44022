import fc from "./generated";

/** Any code point. Unlike `unit: codePoint`, it creates no table of all of them, which takes a second in each suite. */
export const codePoint = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
/** Strings of all kinds, friendly and hostile. */
export const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
  { weight: 3, arbitrary: fc.string({ unit: codePoint, maxLength: 30 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " ", "\0", "\ud800", "x".repeat(200), "x".repeat(201), "🐕".repeat(200)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("__proto__", "constructor", "\u202e", "null", "0", "'; DROP TABLE pet; --"),
  },
);
/** Values of any other type. */
export const junk = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant([]),
  fc.constant(["x"]),
  fc.constant({}),
  fc.constant({ name: "x" }),
);
/** Integers at the limits of common types. */
export const EDGES = [
  0n,
  1n,
  -1n,
  2n ** 31n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  2n ** 63n,
  -(2n ** 63n),
  -(2n ** 63n) - 1n,
];
/** Integers up to and beyond int64. */
export const int = fc.oneof(fc.bigInt(-(2n ** 65n), 2n ** 65n), fc.constantFrom(...EDGES));
/** A value or none. */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 8 });
/** Mostly good values, sometimes bad ones. */
export const hostile = <T, U>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<U> = junk as never) =>
  fc.oneof({ weight: 6, arbitrary: good as fc.Arbitrary<T | U> }, { weight: 1, arbitrary: bad });

/** Returns JSON text, with a bigint as a number (REST) or a string (GraphQL). */
export const json = (value: unknown, write: (int: bigint) => string): string => {
  const marked = JSON.stringify(value, (_, each) =>
    typeof each === "bigint" ? `\u0001${each}\u0001` : each,
  );
  return marked.replace(/"\\u0001(-?\d+)\\u0001"/g, (_, digits) => write(BigInt(digits)));
};
