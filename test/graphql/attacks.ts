import type { ErrorCode } from "../../src/errors";

const many = (count: number, of: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(" ");
const nested = (levels: number, open: string, inside: string, close: string) =>
  open.repeat(levels) + inside + close.repeat(levels);
const BLANK_LINES = "\n".repeat(900);

/** Returns fragments that each spread the next one twice. */
const bomb = (levels: number, part: (i: number) => string) =>
  `{ ...f0 } ${many(levels, (i) => `fragment f${i} on Query { ${part(i)} ...f${i + 1} ...f${i + 1} }`)}
   fragment f${levels} on Query { __typename }`;

const twice = (levels: number): string =>
  levels === 0 ? "{ agent { id } }" : `{ whoami ${twice(levels - 1)} whoami ${twice(levels - 1)} }`;

/** An attack: its name, the error code of its rejection, and the document. */
export type Attack = readonly [name: string, code: ErrorCode, document: string];

/** Small documents that would keep a server busy, or fill its memory, by the code of their rejection. */
const DOCUMENTS: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, string>>>>> = {
  query_too_complex: {
    "60,000 characters": `{ __typename ${"a ".repeat(30_000)}}`,
    "a text of 60,000 characters": `{ pet(id: "${"x".repeat(60_000)}") { id } }`,
    "a number of 60,000 digits": `{ pets(first: ${"9".repeat(60_000)}) { nodes { id } } }`,
    "20,000 comments": `${"#\n".repeat(20_000)}{ __typename }`,
    "10,000 comments": `${"#\n".repeat(10_000)}{ __typename }`,
    "a block text of 10,000 lines": `{ pet(id: """${"\n x".repeat(9_000)}""") { id } }`,
    "nested fields beyond the parser's stack": nested(1_600, "{ a", "", "}"),
    "nested lists beyond the parser's stack": `{ pets(first: ${nested(2_450, "[", "1", "]")}) { nodes { id } } }`,
    "4,990 tokens": `{ ${"a ".repeat(4_990)} }`,
    "2,000 times the same field": `{ ${"__typename ".repeat(2_000)} }`,
    "500 times the same object": `{ ${"whoami { agent { id } } ".repeat(500)} }`,
    "2,000 times the same field under one alias": `{ ${"a: __typename ".repeat(1_600)} }`,
    "1,600 aliases": `{ ${many(1_600, (i) => `a${i}: __typename`)} }`,
    "100 aliases of a list": `{ ${many(100, (i) => `a${i}: pets { nodes { id } }`)} }`,
    "11 reports": `{ ...f } fragment f on Query { ${many(11, (i) => `a${i}: auditLog(first: 1) { nodes { id } }`)} }`,
    "100 sign-ins": `mutation ($input: SignInInput!) { ${many(100, (i) => `a${i}: signIn(input: $input) { token }`)} }`,
    "900 inline fragments": `{ ${"... { __typename } ".repeat(900)} }`,
    "the same object twice on each of 8 levels": twice(8),
    "fragments that double 30 times": bomb(30, () => ""),
    "fragments that double 24 times, each with its own fields": bomb(24, (i) => `a${i}: __typename`),
    "fragments that double what is below a field": `{ ...f0 } ${many(14, (i) => `fragment f${i} on Query { whoami { agent { id } } ...f${i + 1} ...f${i + 1} }`)}
     fragment f14 on Query { __typename }`,
    "a cycle of 100 fragments": `{ ...f0 } ${many(100, (i) => `fragment f${i} on Query { ...f${(i + 1) % 100} }`)}`,
    "45 fragments that each spread all": `{ ...f0 } ${many(45, (i) => `fragment f${i} on Query { x${i}: __typename ${many(45, (j) => `...f${j}`)} }`)}`,
    "fragments with the same name and 300 fields each": `{ ...f } ${many(5, () => `fragment f on Query { ${"whoami { agent { id } } ".repeat(60)} }`)}`,
    "an unused fragment with the same field 300 times": `{ __typename } fragment f on Query { ${"whoami { agent { id } } ".repeat(300)} }`,
    "selections 1,500 levels deep": nested(1_500, "{ a ", "", "}"),
    "selections 30 levels deep": nested(30, "{ a ", "{ b }", "}"),
    "inline fragments 1,000 levels deep": `{ ${nested(1_000, "... {", "__typename", "}")} }`,
    "lists 1,000 levels deep": `{ pet(id: ${nested(1_000, "[", "", "]")}) { id } }`,
    "objects 1,000 levels deep": `mutation { createPet(input: ${nested(1_000, "{ name: ", "1", "}")}) { id } }`,
    "a type 1,000 levels deep": `query ($a: ${nested(1_000, "[", "Int", "]")}) { __typename }`,
    "a default 1,000 levels deep": `query ($a: Int = ${nested(1_000, "[", "", "]")}) { __typename }`,
    "a list of 4,000 items": `{ pet(id: [${"1 ".repeat(4_000)}]) { id } }`,
    "700 directives at one field": `{ __typename ${"@skip(if: true) ".repeat(700)} }`,
    "1,000 arguments": `{ pets(${"first: 1 ".repeat(1_000)}) { nodes { id } } }`,
    "1,000 arguments of a directive": `{ __typename @skip(${"if: true ".repeat(1_000)}) }`,
    "1,000 fields of an input": `mutation { createPet(input: { ${many(1_000, (i) => `a${i}: 1`)} }) { id } }`,
    "1,000 variables": `query (${many(1_000, (i) => `$a${i}: Int`)}) { __typename }`,
    "600 operations": many(600, (i) => `query q${i} { __typename }`),
    "400 operations that share a fragment with 80 variables": `${many(400, (i) => `query q${i} { ...f }`)} fragment f on Query { ${many(80, (i) => `a${i}: pet(id: $v) { id }`)} }`,
    "fields that conflict after 900 blank lines": `${BLANK_LINES}{ a: pets { ${many(90, (i) => `a${i}: nodes { id }`)} } a: pets { ${many(90, (i) => `a${i}: edges { cursor }`)} } }`,
    "pages of pages": `{ ${many(40, (i) => `a${i}: pets(first: 100) { nodes { id name status categoryId } edges { node { id } } }`)} }`,
  },
  graphql_validation_failed: {
    "a number of 25,000 digits": `{ pets(first: ${"9".repeat(25_000)}) { nodes { id } } }`,
    "a name of 25,000 characters": `{ ${"a".repeat(25_000)} }`,
    "a fragment that spreads itself": "{ ...a } fragment a on Query { ...a }",
    "a cycle of 3 fragments": `{ ...f0 } ${many(3, (i) => `fragment f${i} on Query { ...f${(i + 1) % 3} }`)}`,
    "400 type definitions": many(400, (i) => `type A${i} { a: Int }`),
    "50 variables of one name after 900 blank lines": `${BLANK_LINES}query (${"$a: Int ".repeat(50)}) { __typename }`,
    "20 arguments of one name after 900 blank lines": `${BLANK_LINES}{ pets(${"first: 1 ".repeat(20)}) { nodes { id } } }`,
    "400 unknown fields after 900 blank lines": `${BLANK_LINES}{ pets { nodes { ${many(400, (i) => `nam${i}`)} } } }`,
    "400 misspelled fields": `{ pets { ${many(400, (i) => `hasNextPag${i}`)} } }`,
    "100 unknown fragments after 900 blank lines": `${BLANK_LINES}{ ${many(100, (i) => `...f${i}`)} }`,
    "a byte order mark and escapes": `\ufeff{ pets(first: "${"\\u0041".repeat(4_000)}") { nodes { id } } }`,
    "surrogates and joiners": `{ pets(first: "${"👩‍👩‍👧‍👦".repeat(1_500)}") { nodes { id } } }`,
    "stacked combining marks": `{ pets(status: "a${"\u0301".repeat(10_000)}") { nodes { id } } }`,
  },
  graphql_parse_failed: {
    "7,000 tokens": `{ ${"a ".repeat(7_000)} }`,
  },
};

export const ATTACKS = Object.entries(DOCUMENTS).flatMap(([code, documents]) =>
  Object.entries(documents).map(([name, document]): Attack => [name, code as ErrorCode, document]),
);
