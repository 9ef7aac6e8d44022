import { CompletionContext } from "@codemirror/autocomplete";
import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { lineAndColumn, parseText, sizeOf, textOf } from "../../src/dashboard/configuration/document-text";
import { schemaCompletion } from "../../src/dashboard/configuration/editor/completion";
import { rangeOf } from "../../src/dashboard/configuration/editor/json-tree";
import {
  alternativesOf,
  type JsonSchema,
  withDefinitions,
} from "../../src/dashboard/configuration/json-schema";
import { NAME_KINDS, type NameKind, nameProblem, renameUses } from "../../src/dashboard/configuration/rename";
import { documentJsonSchema } from "../../src/features/configuration/document/format";

const SCHEMA = withDefinitions(documentJsonSchema() as JsonSchema);

const stateOf = (doc: string) => EditorState.create({ doc, extensions: json() });

describe("the text of a document", () => {
  test("has a line for each rule and text, and means the same", () => {
    const document = {
      format: 1,
      templates: { hi: 'Hi "you"', long: "x".repeat(120) },
      rules: [
        { id: "a", on: "*", do: [{ send: "hi" }] },
        { id: "b", on: "order.shipped", when: ["y".repeat(90)], do: [] },
      ],
      otherwise: [],
    };
    const text = textOf(document);
    expect(JSON.parse(text)).toEqual(document);
    expect(sizeOf({ a: "€" })).toBe('{"a":"123"}'.length);
    expect(text.split("\n")).toEqual([
      "{",
      '  "format": 1,',
      '  "templates": {',
      '    "hi": "Hi \\"you\\"",',
      `    "long": "${"x".repeat(120)}"`,
      "  },",
      '  "rules": [',
      '    { "id": "a", "on": "*", "do": [{ "send": "hi" }] },',
      "    {",
      '      "id": "b",',
      '      "on": "order.shipped",',
      '      "when": [',
      `        "${"y".repeat(90)}"`,
      "      ],",
      '      "do": []',
      "    }",
      "  ],",
      '  "otherwise": []',
      "}",
    ]);
  });

  test("a part is found even if the browser takes half a second to parse the document", () => {
    const templates = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`t${at}`, "Hi"]));
    const text = textOf({ format: 1, templates });
    let now = Date.now();
    const clock = jest.spyOn(Date, "now").mockImplementation(() => now++);
    const { from, to } = rangeOf(stateOf(text), "templates.t99");
    clock.mockRestore();
    expect(text.slice(from, to)).toBe('"Hi"');
    expect(text.slice(0, from)).toMatch(/"t99": $/);
  });

  test.each([
    ['{"format": 1,}', "Not valid JSON: Expected double-quoted property name.", 13],
    ['{"a" 1}', "Not valid JSON: Expected ':' after property name.", 5],
    ["", "Not valid JSON: Unexpected end of JSON input.", undefined],
    ["[]", "Enter a JSON object: { … }.", 0],
    ["nonsense", "Not valid JSON: Unexpected token 'o'.", undefined],
    ['{"a": {"b": 1, "c": [{"b": 2}], "b": 3}}', "“b” appears twice in the same object.", 32],
    ['{"\\u0061": 1, "a": 2}', "“a” appears twice in the same object.", 14],
    ['{"id": -9007199254740993}', "-9007199254740993 would be rounded. Write it as text, in quotes.", 7],
    ['{"a": [1, 1e999]}', "1e999 would be rounded. Write it as text, in quotes.", 10],
  ])("%s is rejected", (text, message, offset) => {
    expect(parseText(text)).toEqual({ problem: { message, offset } });
  });

  test("members with the same name in different objects are valid, and so are braces and numbers in texts", () => {
    const text =
      '{"a": {"x": "}{ \\" \\\\"}, "b": {"x": ":"}, "x": [{"x": 1}, {"x": 2.5e3}], "id": "9007199254740993"}';
    expect(parseText(text)).toEqual({ document: JSON.parse(text) });
  });

  test("offsets have a line and a column", () => {
    expect(["a", "b", "c"].map((letter) => lineAndColumn("a\nb\n c", "a\nb\n c".indexOf(letter)))).toEqual([
      { line: 1, column: 1 },
      { line: 2, column: 1 },
      { line: 3, column: 2 },
    ]);
  });
});

describe("a problem is shown at", () => {
  const TEXT = `{
  "format": 2,
  "situations": { "order.shipped": { "total": "doubl" } },
  "templates": { "hi": "A \\"b\\"\\n{{ contct.name }}" },
  "rules": [
    {
      "id": "a",
      "when": ["true", "situation.data.totl > 1"]
    }
  ]
}`;
  test.each<[string, { line: number; column: number } | undefined, string]>([
    ["format", undefined, "2"],
    ['situations["order.shipped"].total', undefined, '"doubl"'],
    ["rules[0].when[1]", { line: 1, column: 16 }, "totl"],
    ["templates.hi", { line: 2, column: 4 }, "contct.name"],
    // A value of several lines is marked by its name, and a missing member by the enclosing value.
    ["rules", undefined, '"rules"'],
    ["rules[0].on", undefined, "{"],
    ["", undefined, "{"],
    ["no.such[7].part", undefined, "{"],
  ])("%s", (path, position, shown) => {
    const { from, to } = rangeOf(stateOf(TEXT), path, position);
    expect(TEXT.slice(from, to)).toBe(shown);
  });
});

describe("the editor suggests", () => {
  const complete = schemaCompletion(SCHEMA, (namesIn) => ({
    send: namesIn("templates"),
    on: [...namesIn("situations"), "message.received"],
    line: ["main"],
  }));
  /** Returns the suggestions at the `|` in the given text. */
  const suggestions = (marked: string) => {
    const offset = marked.indexOf("|");
    const context = new CompletionContext(stateOf(marked.replace("|", "")), offset, true);
    const result = complete(context);
    if (result instanceof Promise) throw new Error("The schema is there.");
    return result?.options.map(({ label }) => label) ?? [];
  };

  test.each<[string, string[]]>([
    [
      "{|}",
      [
        "$schema",
        "format",
        "defaultContact",
        "burstSeconds",
        "releaseAfter",
        "zone",
        "locale",
        "situations",
        "templates",
        "policy",
        "rules",
        "strict",
        "maxAsksPerDay",
        "otherwise",
        "tests",
      ],
    ],
    ['{"rules": [{"id": "a", |}]}', ["on", "when", "do", "whileHuman", "continue", "once"]],
    ['{"rules": [{"id": "a", "o|": 1}]}', ["on", "when", "do", "whileHuman", "continue", "once"]],
    ['{"rules": [{"once": {"per": "|"}}]}', ["contact", "conversation"]],
    ['{"rules": [{"once": {"per": |}}]}', ["contact", "conversation"]],
    ['{"rules": [{"continue": |}]}', ["true", "false"]],
    [
      '{"situations": {"a": {"b": "|"}}}',
      [
        "string",
        "string?",
        "int",
        "int?",
        "double",
        "double?",
        "bool",
        "bool?",
        "timestamp",
        "timestamp?",
        "list<string>",
        "list<string>?",
      ],
    ],
    [
      '{"rules": [{"do": [|]}]}',
      ["send", "addTags", "removeTags", "move", "handoff", "close", "ask", "later", "cancelTimer", "resend"],
    ],
    [
      '{"rules": [{"do": [{|}]}]}',
      ["send", "addTags", "removeTags", "move", "handoff", "close", "ask", "later", "cancelTimer", "resend"],
    ],
    [
      '{"rules": [{"do": [{"send": "hi", |}]}]}',
      ["line", "reuse", "delaySeconds", "topic", "urgent", "review"],
    ],
    [
      '{"rules": [{"do": [{"ask": {"prompt": "hi", |}}]}]}',
      ["maxLength", "tags", "handoff", "review", "history", "texts"],
    ],
    ['{"policy": {|}}', ["zone", "windows", "caps", "topics", "review"]],
    ['{"policy": {"windows": [{|}]}}', ["days", "from", "to"]],
    ['{"policy": {"caps": [{"max": 2, |}]}}', ["within", "topics"]],
    ['{"policy": {"topics": {"news": {|}}}}', ["title", "default"]],
    ['{"policy": {"topics": {"news": {"default": |}}}}', ["in", "out"]],
    ['{"rules": [{"do": [{"send": "|"}]}], "templates": {"hi": "", "bye": ""}}', ["hi", "bye"]],
    ['{"rules": [{"do": [{"send": "hi", "line": "|"}]}]}', ["main"]],
    ['{"situations": {"a.b": {}}, "rules": [{"on": "|"}]}', ["a.b", "message.received", "*"]],
    ['{"templates": {|}}', []],
    ['{"templates": {"hi": "|"}}', []],
    ['{"templates": {"hi": {|}}}', ["text"]],
    ['{"templates": {"hi": {"text": "a", |}}}', ["subject", "html", "topic", "urgent", "locales"]],
    ['{"templates": {"hi": {"text": "a", "locales": {"de": {|}}}}}', ["text", "subject", "html"]],
    ['{"no": {"such": {|}}}', []],
    ["|", []],
  ])("%s", (marked, expected) => {
    expect(suggestions(marked)).toEqual(expected);
  });
});

describe("a rename of a", () => {
  const kindOf = (label: string) => NAME_KINDS.find((each) => each.label === label) as NameKind;
  const TEXT = `{
  "situations": { "due": { "hi": "string" }, "hi": {} },
  "templates": {
    "hi": { "text": "due" }, "due": "{% if situation.type == 'hi' %}hi{% endif %}" },
  "rules": [
    { "id": "hi", "on": "hi", "do": [{ "send": "hi", "line": "hi" }, { "ask": { "prompt": "hi", "texts": ["due", "hi"] } }] },
    { "id": "b", "on": "*", "when": ["situation.type in [\\"hi\\", 'due']", "contact.ref == \\"hi\\""] }
  ],
  "otherwise": [{ "handoff": "hi" }, { "later": { "situation": "\\u0068i", "key": "hi", "data": { "hi": "hi" } } }],
  "tests": [{ "id": "hi", "situation": { "type": "hi", "data": { "type": "hi" } }, "expect": { "sends": [{ "template": "hi" }] } }]
}`;

  test.each([
    [
      "Template",
      4,
      (text: string) =>
        text
          .replace('"hi": { "text"', '"new": { "text"')
          .replace('"send": "hi"', '"send": "new"')
          .replace('"prompt": "hi", "texts": ["due", "hi"]', '"prompt": "new", "texts": ["due", "new"]')
          .replace('"template": "hi"', '"template": "new"'),
    ],
    [
      "Situation",
      5,
      (text: string) =>
        text
          .replace('"hi": {} }', '"new": {} }')
          .replace("== 'hi'", "== 'new'")
          .replace('"on": "hi"', '"on": "new"')
          .replace('in [\\"hi\\"', 'in [\\"new\\"')
          .replace('"\\u0068i"', '"new"')
          .replace('"type": "hi", "data"', '"type": "new", "data"'),
    ],
  ])("%s changes its declaration and uses, and nothing else", (label, uses, expected) => {
    const { kind } = kindOf(label);
    expect(renameUses(TEXT, SCHEMA, kind, "hi", "new")).toEqual({ text: expected(TEXT), uses });
    expect(renameUses(TEXT, SCHEMA, kind, "none", "new")).toEqual({ text: TEXT, uses: 0 });
  });

  /** Returns the places where the format has names of a kind. */
  const placesOf = (
    kind: string,
    schema: JsonSchema,
    path: (string | number)[] = [],
  ): (string | number)[][] =>
    alternativesOf(schema).flatMap(({ names, properties = {}, items, additionalProperties: others }) => [
      ...(names === kind ? [path] : []),
      ...Object.entries(properties).flatMap(([name, part]) => placesOf(kind, part, [...path, name])),
      ...(items ? placesOf(kind, items, [...path, 0]) : []),
      ...(typeof others === "object" ? placesOf(kind, others, [...path, "member"]) : []),
    ]);

  test.each(NAME_KINDS)("$label reaches each place where the format allows one", ({ kind }) => {
    const places = placesOf(kind, SCHEMA);
    expect(places.length).toBeGreaterThan(4);
    for (const place of places) {
      const textWith = (name: string) =>
        JSON.stringify(place.reduceRight<unknown>((part, at) => (at === 0 ? [part] : { [at]: part }), name));
      expect(renameUses(textWith("old"), SCHEMA, kind, "old", "new")).toEqual({
        text: textWith("new"),
        uses: 1,
      });
    }
  });

  test.each([
    ["Template", "new", undefined],
    ["Template", "due", "The name “due” is taken."],
    ["Template", "New one", "Use a-z and 0-9, with single . _ - between them."],
    ["Template", "", "Use a-z and 0-9, with single . _ - between them."],
    ["Template", "x".repeat(64), "Use at most 63 characters."],
    ["Situation", "1st", "Use a-z and 0-9, with single . _ - between them, and start with a letter."],
    ["Situation", "message.received", "The name “message.received” is taken."],
    ["Situation", "x".repeat(100), undefined],
  ])("%s to %s has the problem: %s", (label, name, problem) => {
    expect(nameProblem({ templates: { due: "" } }, SCHEMA, kindOf(label), name)).toBe(problem);
  });
});
