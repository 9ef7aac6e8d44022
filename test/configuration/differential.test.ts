import { Liquid } from "liquidjs";
import { Condition } from "../../src/features/configuration/document/conditions/condition";
import { environmentOf } from "../../src/features/configuration/document/conditions/environment";
import { Run } from "../../src/features/configuration/document/conditions/run";
import type { DataDeclaration } from "../../src/features/configuration/document/data-types";
import { shapesOf } from "../../src/features/configuration/document/shapes";
import { StepBudget } from "../../src/features/configuration/document/step-budget";
import { TextTemplate } from "../../src/features/configuration/document/texts/template";
import { TextRun } from "../../src/features/configuration/document/texts/text-run";
import fc from "../support/generated";
import { cases } from "../support/tiers";

const RUNS = { numRuns: cases(1_000) };

const DATA: DataDeclaration = {
  total: "double",
  count: "int",
  ok: "bool",
  at: "timestamp",
  text: "string",
  lines: "list<string>",
  note: "string?",
};

const pick = (...texts: string[]) => fc.constantFrom(...texts);
/** Joins generated parts into a source. */
const source = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((texts) => texts.join(""));

describe("conditions and the library's own evaluator agree", () => {
  const environment = environmentOf("order", DATA);
  const shapes = shapesOf("order", DATA);

  const { condition } = fc.letrec<Record<"condition" | "int" | "double" | "text" | "list", string>>((of) => ({
    int: fc.oneof(
      { maxDepth: 3, depthIdentifier: "cel" },
      pick("0", "1", "-3", "7", "9223372036854775807", "situation.data.count", "now.getHours()"),
      source("size(", of("text"), ")"),
      source("(", of("int"), pick(" + ", " - ", " * ", " / ", " % "), of("int"), ")"),
      source("-(", of("int"), ")"),
      source('int("1" + ', of("text"), ")"),
      source("(", of("condition"), " ? ", of("int"), " : ", of("int"), ")"),
    ),
    double: fc.oneof(
      { maxDepth: 3, depthIdentifier: "cel" },
      pick("0.5", "-2.25", "1e300", "situation.data.total", "contact.attributes.seats"),
      source("(", of("double"), pick(" + ", " - ", " * ", " / "), of("double"), ")"),
      source("double(", of("int"), ")"),
    ),
    text: fc.oneof(
      { maxDepth: 3, depthIdentifier: "cel" },
      pick(
        '""',
        '"b"',
        '"12"',
        "situation.data.text",
        "situation.data.note",
        "contact.name",
        "contact.attributes.plan",
      ),
      source("(", of("text"), " + ", of("text"), ")"),
      source(of("text"), pick(".lowerAscii()", ".upperAscii()", ".trim()")),
      source(of("list"), "[", of("int"), "]"),
      source("string(", of("int"), ")"),
    ),
    list: fc.oneof(
      { maxDepth: 2, depthIdentifier: "cel" },
      pick("situation.data.lines", "contact.tags", '["b", "c"]'),
      source("(", of("list"), " + ", of("list"), ")"),
      source(of("list"), '.filter(x, x != "b")'),
      source(of("list"), '.map(x, x + "b")'),
    ),
    condition: fc.oneof(
      { maxDepth: 4, depthIdentifier: "cel" },
      pick("true", "false", "situation.data.ok", "situation.data.note == null", "situation.data.at < now"),
      source("(", of("int"), pick(" < ", " <= ", " > ", " >= ", " == ", " != "), of("int"), ")"),
      source("(", of("double"), pick(" < ", " >= ", " == ", " != "), of("double"), ")"),
      source("(", of("double"), pick(" < ", " >= "), of("int"), ")"),
      source("(", of("text"), pick(" < ", " >= ", " == ", " != "), of("text"), ")"),
      source(of("text"), pick(".contains(", ".startsWith(", ".endsWith("), of("text"), ")"),
      source("(", of("text"), " in ", of("list"), ")"),
      source("(", of("list"), pick(" == ", " != "), of("list"), ")"),
      source("(", of("condition"), pick(" && ", " || "), of("condition"), ")"),
      source("!", of("condition")),
      source(of("list"), pick(".exists(", ".all(", ".exists_one("), 'x, x.startsWith("b"))'),
      source(of("list"), pick(".exists(", ".all("), "x, int(x) > 1)"),
      source("(", of("condition"), " ? ", of("condition"), " : ", of("condition"), ")"),
    ),
  }));

  const data = fc.record({
    total: fc.double({ noNaN: true, noDefaultInfinity: true }),
    count: fc.bigInt({ min: -10n, max: 10n }),
    ok: fc.boolean(),
    at: fc.constant(new Date("2026-01-14T12:00:00Z")),
    text: pick("", "b", "abc", " B "),
    lines: fc.array(pick("b", "12", "ba"), { maxLength: 3 }),
    note: fc.constantFrom(null, "b"),
  });

  test("on generated ones", () => {
    let [valid, failed] = [0, 0];
    const check = (text: string, values: object) => {
      if (text.length > 2_000 || !environment.check(text).valid) return;
      const roots = {
        situation: { type: "order", data: values },
        contact: {
          ref: null,
          name: "Anna",
          locale: null,
          timezone: null,
          attributes: { plan: "pro", seats: 3 },
          tags: ["b"],
        },
        now: new Date("2026-01-15T12:00:00Z"),
      };
      const { value } = Condition.parse(text, environment, shapes).evaluate(new Run(roots as never));
      let expected: unknown = null;
      try {
        expected = environment.parse(text)(roots);
      } catch {
        failed += 1;
      }
      expect(value).toBe(expected);
      valid += 1;
    };
    fc.assert(fc.property(condition, data, check), RUNS);
    expect(valid).toBeGreaterThan(cases(500));
    expect(failed).toBeGreaterThan(cases(25));
    expect(failed).toBeLessThan(valid / 2);
  });
});

describe("templates and the library's own renderer agree", () => {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    timezoneOffset: 0,
  });

  const value = pick(
    ...["contact.name", "contact.attributes.plan", "contact.attributes.seats", "contact.attributes.missing"],
    ...["contact.locale", "contact.tags", "contact.tags.size", "contact.tags.first", "contact.tags[1]"],
    ...['"a b"', "1.25", "nil"],
  );
  const filter = pick(
    ...[" | upcase", " | downcase", " | capitalize", ' | append: "x"', ' | prepend: "x"'],
    ...[' | default: "none"', " | size", ' | join: "-"', " | plus: 2", " | times: 1.5", " | minus: 1"],
    ...[" | modulo: 2", " | ceil", " | floor", " | round: 1", " | at_least: 2", ' | replace: "a", "b"'],
    ...[' | remove: "n"', " | strip", " | truncate: 4", " | url_encode"],
  );
  const comparison = fc.oneof(
    value,
    source(value, pick(" == ", " != "), pick('"pro"', "nil", "empty", "3", "true", "contact.name")),
    source(
      pick("contact.attributes.seats", "1.25", "2"),
      pick(" < ", " >= "),
      pick("2", "contact.attributes.seats"),
    ),
    source(pick("contact.tags", "contact.name"), " contains ", pick('"vip"', '"nn"')),
  );
  const logic = fc.oneof(comparison, source(comparison, pick(" and ", " or "), comparison));
  const { template } = fc.letrec<Record<"template" | "part", string>>((of) => ({
    part: fc.oneof(
      { maxDepth: 4, depthIdentifier: "liquid" },
      pick(" text\n", "{{- contact.name -}}"),
      source("{{ ", value, filter, filter, " }}"),
      source("{{ ", value, " }}"),
      source("{{ contact.tags", pick(" | first", " | last"), filter, " }}"),
      source(
        "{% if ",
        logic,
        " %}",
        of("template"),
        "{% elsif ",
        logic,
        " %}",
        of("template"),
        "{% else %}c{% endif %}",
      ),
      source("{% unless ", logic, " %}", of("template"), "{% endunless %}"),
      source(
        "{% case ",
        value,
        " %}{% when 3, ",
        value,
        " %}a{% when true %}",
        of("template"),
        "{% else %}b{% endcase %}",
      ),
      source(
        "{% for each in contact.tags",
        pick("", " limit: 1", " offset: 1", " reversed", " offset: 2"),
        " %}{{ forloop.index }}{{ each }}",
        of("template"),
        "{% endfor %}",
      ),
      source("{% for each in contact.tags %}{{ each }}{% else %}none{% endfor %}"),
    ),
    template: fc
      .array(of("part"), { minLength: 1, maxLength: 3, depthIdentifier: "liquid" })
      .map((parts) => parts.join("")),
  }));

  const contact = fc.record({
    name: pick("Anna", ""),
    locale: fc.constant(null),
    attributes: fc.constant({ plan: "pro", seats: 3 }),
    tags: fc.subarray(["vip", "new", "b"]),
  });

  test("on generated ones", () => {
    let [written, failed] = [0, 0];
    const check = (text: string, about: object) => {
      const run = new TextRun({ contact: about } as never, "2026-01-15T12:00:00.000Z", new StepBudget(1e9));
      let actual: string | undefined;
      try {
        actual = TextTemplate.parse(text).render(run).text;
      } catch {
        failed += 1;
      }
      // The library's results for lists that are compared or used as text have no meaning in messages.
      if (actual === undefined) return;
      expect(actual).toBe(liquid.parseAndRenderSync(text, { contact: about }));
      written += 1;
    };
    fc.assert(fc.property(template, contact, check), RUNS);
    expect(written).toBeGreaterThan(cases(400));
    expect(failed).toBeGreaterThan(cases(25));
  });
});
