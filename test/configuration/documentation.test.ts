import Ajv from "ajv/dist/2020";
import { MAX_JSON_VALUES } from "../../src/common/json-problem";
import * as limits from "../../src/features/configuration/configuration.limits";
import { checkDocument } from "../../src/features/configuration/document/check-document";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { documentJsonSchema } from "../../src/features/configuration/document/format";
import { filterOf } from "../../src/features/configuration/document/texts/filters";
import { MAX_TOPICS } from "../../src/features/contacts/contact.limits";
import { MESSAGE_HTML_MAX_LENGTH } from "../../src/features/messages/message.limits";
import { read, section } from "../docs/markdown";
import { compile, decisionInput, problemsOf } from "../support/configuration";

const PAGE = read("docs/agent-configuration.md");
const EXAMPLE = section(PAGE, "## An example");
const [DOCUMENT, SITUATION] = [...EXAMPLE.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = ""]) =>
  JSON.parse(json),
);

/** Returns the names in code spans of a list item. */
const namesOf = (heading: string, item: string) => {
  const [, text = ""] =
    new RegExp(`^- \\*\\*${item}:\\*\\*(.*?)(?=^- |\\n\\n)`, "ms").exec(section(PAGE, heading)) ?? [];
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
};

test("the example is valid, for the gateway and for editors, and does what the page says", async () => {
  expect(await checkDocument(DOCUMENT)).toMatchObject({ problems: [], warnings: [] });
  expect(new Ajv({ strict: true, allowUnionTypes: true }).validate(documentJsonSchema(), DOCUMENT)).toBe(
    true,
  );
  const configuration = await compile(DOCUMENT);
  expect(evaluate(configuration, { ...decisionInput(), situation: SITUATION })).toMatchObject({
    ruleId: "vip-shipped",
    effects: [
      { kind: "send", text: /^> (.*)$/m.exec(EXAMPLE)?.[1] },
      { kind: "addTags", tags: ["shipped"] },
    ],
  });
  const cheap = { ...SITUATION, data: { ...SITUATION.data, total: 90 } };
  expect(evaluate(configuration, { ...decisionInput(), situation: cheap })).toMatchObject({
    ruleId: null,
    rules: [{ clauses: [{ value: true }, { value: false }] }],
    effects: [{ kind: "handoff", reason: "no rule" }],
  });
});

test("every filter and function on the page exists", async () => {
  const filters = namesOf("## Templates", "Filters");
  expect(filters.length).toBeGreaterThan(25);
  expect(filters.filter((name) => filterOf(name) === undefined)).toEqual([]);
  const functions = namesOf("## Conditions", "Functions");
  expect(functions.length).toBeGreaterThan(20);
  for (const name of functions) {
    const faults = await Promise.all(
      [
        `${name}(contact.name)`,
        `contact.name.${name}()`,
        `contact.name.${name}("x")`,
        `contact.tags.${name}(x, true)`,
        `now.${name}()`,
      ].map(problemsOf),
    );
    const unknown = faults.every(([problem]) => problem && /^calls/.test(problem.message));
    expect([name, unknown]).toEqual([name, false]);
  }
});

test("the page states the limits", () => {
  const KIBI = 1024;
  const numbers = [
    limits.DOCUMENT_MAX_BYTES / KIBI,
    limits.TESTED_DOCUMENT_MAX_BYTES / KIBI,
    MAX_JSON_VALUES,
    limits.MAX_TESTS,
    limits.MAX_RULES,
    limits.MAX_TEMPLATES,
    limits.MAX_SITUATIONS,
    limits.MAX_LOCALES,
    limits.MAX_CLAUSES,
    limits.MAX_EFFECTS,
    limits.MAX_EFFECTS_PER_DECISION,
    limits.MAX_MESSAGES_PER_DECISION,
    limits.MAX_HISTORY,
    limits.HISTORY_MAX_BYTES / KIBI,
    limits.PROMPT_MAX_LENGTH,
    limits.MAX_ASK_TEXTS,
    limits.ASK_TEXTS_MAX_LENGTH,
    limits.MAX_ASKS_PER_DAY,
    MESSAGE_HTML_MAX_LENGTH,
    limits.MAX_HTML_PER_DECISION,
    limits.MAX_DATA_MEMBERS,
    limits.CLAUSE_MAX_LENGTH,
    limits.TEMPLATE_MAX_LENGTH,
    limits.HANDOFF_REASON_MAX_LENGTH,
    limits.MAX_DELAY_SECONDS,
    limits.MAX_BURST_SECONDS,
    limits.MAX_ONCE_DAYS,
    limits.MAX_WINDOWS,
    limits.MAX_CAPS,
    MAX_TOPICS,
    limits.MAX_CAPPED,
    limits.TOPIC_TITLE_MAX_LENGTH,
    limits.MAX_LINES_OF_MESSAGE,
    limits.MAX_TIMERS,
    limits.TIMER_KEY_MAX_LENGTH,
    limits.SITUATION_MAX_BYTES / KIBI,
    limits.SITUATION_MAX_DEPTH,
    limits.MAX_DATA_ITEMS,
  ];
  expect(section(PAGE, "## Limits").match(/\d+(,\d{3})*/g)).toEqual(
    numbers.map((number) => number.toLocaleString("en")),
  );
});
