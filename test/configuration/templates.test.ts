import { checkDocument } from "../../src/features/configuration/document/check-document";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { compileChecked, decisionInput, documentWith } from "../support/configuration";

const sending = (template: string) =>
  [{ do: [{ send: "text" }] }, { templates: { text: template } }] as const;

/** Returns the message that a template writes for `order.shipped`. */
async function sent(template: string, input = decisionInput()) {
  const { effects } = evaluate(await compileChecked(...sending(template)), input);
  const [effect] = effects;
  if (effect?.kind !== "send") throw new Error("The rule sends nothing.");
  return effect;
}

const text = async (template: string) => {
  const { text: written, error } = await sent(template);
  return error ? `${error.code}: ${error.message}` : written;
};

const problemsOf = async (template: string) =>
  (await checkDocument(documentWith(...sending(template)))).problems;

describe("a template", () => {
  test.each([
    ['Hi {{ contact.name | default: "there" }}, {{ situation.data.text }}!', "Hi Anna, Hello!"],
    ["{{ contact.locale | default: contact.attributes.plan | upcase }}", "PRO"],
    ['{{ contact.attributes.missing | default: "none" }}', "none"],
    [
      "{% if contact.attributes.missing %}a{% elsif situation.data.total > 100 %}b{% else %}c{% endif %}",
      "b",
    ],
    ["{% unless contact.tags contains 'vip' %}a{% else %}b{% endunless %}", "b"],
    ["{% case contact.attributes.plan %}{% when 'free', 'pro' %}a{% else %}b{% endcase %}", "a"],
    [
      "{% for each in situation.data.lines %}{{ forloop.index }}{{ each }}{% unless forloop.last %}, {% endunless %}{% endfor %}",
      "1a, 2b",
    ],
    [
      "{% for each in situation.data.lines reversed limit: 1 offset: 1 %}{{ each }}{% else %}-{% endfor %}",
      "b",
    ],
    ["{% for each in contact.tags offset: 9 %}{{ each }}{% else %}none{% endfor %}", "none"],
    ['{{ now | date: "%A, %-d %B %Y %H:%M" }}', "Thursday, 15 January 2026 12:00"],
    ['{{ "now" | date: "%F" }} {{ situation.data.at | date: "%F" }}', "2026-01-15 2026-01-14"],
    ["{{ situation.data.total | times: 2 | divided_by: 7 | round: 2 }}", "34.29"],
    ["{{ 1234567.891 | round: -2 }} {{ -49 | round: -2 }}", "1234600 0"],
    ["{{ situation.data.lines | join: '+' }} {{ situation.data.lines.size }}", "a+b 2"],
    ["{{ situation.data.text | truncate: 4 }}|{{ '😀😀😀😀😀' | truncate: 4, '.' }}", "H...|😀😀😀."],
    ["{{ situation.data.text | replace: 'l', '' | append: '.' | prepend: '>' }}", ">Heo."],
    ["{{ 'a b&c' | url_encode }}", "a+b%26c"],
    ["{{ situation.data.note }}{{ conversation.line }}.", "."],
    ["{% if contact.tags == empty or situation.data.note == blank %}yes{% endif %}", "yes"],
    ["{{- situation.type -}} \n {{ situation.data.ok }}", "order.shippedtrue"],
    ["{{ situation.data.lines }}", "ab"],
  ])("%s writes %s", async (template, expected) => {
    expect(await text(template)).toBe(expected);
  });

  test.each([
    ["{{ contact.attributes.missing }}", "template_error: contact.attributes.missing does not exist"],
    ["{{ contact.attributes }}", "template_error: an object cannot be converted to text"],
    ["{{ contact.attributes.constructor }}", "template_error: contact.attributes.constructor does not exist"],
    ["{{ contact.attributes.__proto__ }}", "template_error: contact.attributes.__proto__ does not exist"],
    [
      "{% for each in contact.tags %}{{ each.constructor }}{% endfor %}",
      "template_error: each.constructor does not exist",
    ],
    [
      "{% for each in contact.name %}{{ each }}{% endfor %}",
      "template_error: a loop iterates over a value that is not a list",
    ],
    [
      "{% if contact.tags == situation.data.lines %}a{% endif %}",
      "template_error: lists and objects cannot be compared",
    ],
    ["{{ 1 | divided_by: 0 }}", "template_error: a calculation has no finite result"],
    ['{{ "\\ud800" }}', "template_error: the text is not well-formed Unicode"],
    ["{{ situation.data.note }}", "template_error: the text is empty"],
    [
      `${"x".repeat(6_000)}{{ "${"x".repeat(6_000)}" }}`,
      "template_error: the text has more than 10000 characters",
    ],
  ])("%s has no text", async (template, expected) => {
    expect(await text(template)).toBe(expected);
  });

  test.each([
    ["{{ contact.nme }}", /refers to contact.nme, which does not exist\. Did you mean "name"\?$/, [1, 4]],
    ["a\n{{ situation.data.totl }}", /data\.totl, which does not exist\. Did you mean "total"\?$/, [2, 4]],
    ["{{ contact.name | upcas }}", /uses the unsupported filter upcas\. Did you mean "upcase"\?$/, undefined],
    [
      "{{ 2 | plural: oen: 'a', other: 'b' }}",
      /argument oen to the filter plural\. Did you mean "one"/,
      undefined,
    ],
    ["{{ message.text }}", /refers to message.text/, [1, 4]],
    ["{{ process.env }}", /refers to process.env/, [1, 4]],
    ["{{ contact.constructor }}", /refers to contact.constructor/, [1, 4]],
    ["{% for a in contact.tags %}{% endfor %}{{ a }}", /refers to a, which/, [1, 43]],
    ["{{ contact[contact.name] }}", /computes the name of a member/, [1, 4]],
    ["{% include 'x' %}", /tag "include" not found/, [1, 1]],
    ["{% render '/etc/passwd' %}", /tag "render" not found/, [1, 1]],
    ["{% layout 'x' %}", /tag "layout" not found/, [1, 1]],
    ["{% assign a = 1 %}", /tag "assign" not found/, [1, 1]],
    ["{% raw %}{% endraw %}", /tag "raw" not found/, [1, 1]],
    ["{{ contact.name | sort }}", /uses the unsupported filter sort/, undefined],
    ["{{ contact.name | constructor }}", /uses the unsupported filter constructor/, undefined],
    ["{{ now | date: '%Y %c' }}", /passes the unsupported conversion %c to the filter date/, undefined],
    ["{{ now | date: '%%c %05j' }}", /passes the unsupported conversion %05j to the filter date/, undefined],
    ["{{ contact.name | upcase: 1 }}", /passes 1 arguments to the filter upcase/, undefined],
    [
      "{{ contact.name | default: 1, allow_false: true }}",
      /named argument allow_false to the filter default/,
      undefined,
    ],
    ["{% for a in (1..1000000000) %}{% endfor %}", /uses a range/, [1, 1]],
    ["{{ contact.tags[(9007199254740992..9007199254740994)] }}", /computes the name of a member/, [1, 4]],
    ["{{ (9007199254740992..9007199254740994) | join }}", /uses a range/, undefined],
    ["{{ contact.name contact.ref }}", /two values without an operator/, undefined],
    ["{{ contact.name", /not closed/, [1, 1]],
    ["{% if contact.name %}", /not closed/, [1, 1]],
    ["{% if %}{% endif %}", /is not valid/, undefined],
    ["{% if true %}".repeat(30) + "{% endif %}".repeat(30), /nested too deeply/, undefined],
    ["{% if true %}".repeat(900) + "{% endif %}".repeat(900), /nested too deeply|at most/, undefined],
  ])("%s is rejected when it is checked", async (template, message, position) => {
    const [problem, ...others] = await problemsOf(template);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: "templates.text", message: expect.stringMatching(message) });
    if (position) expect(problem?.position).toEqual({ line: position[0], column: position[1] });
  });

  test.each([
    [
      "loops in loops",
      "{% for a in situation.data.lines %}".repeat(3) + "x".repeat(1) + "{% endfor %}".repeat(3),
    ],
    ["empty loops in loops", "{% for a in situation.data.lines %}".repeat(4) + "{% endfor %}".repeat(4)],
    [
      "a long case in a loop",
      `{% for a in situation.data.lines %}{% for b in situation.data.lines %}{% case b %}{% when ${Array.from({ length: 500 }, (_, index) => index).join(",")} %}{% endcase %}{% endfor %}{% endfor %}`,
    ],
    [
      "a search in a loop",
      "{% for a in situation.data.lines %}{% for b in situation.data.lines %}{% if situation.data.text contains situation.data.part %}{% endif %}{% endfor %}{% endfor %}",
    ],
    [
      "long texts that are not written",
      `{% for a in situation.data.lines %}{% for b in situation.data.lines %}{% if situation.data.text ${"| append: situation.data.text".repeat(0)}== situation.data.part %}{% endif %}{{ situation.data.text | append: situation.data.text | truncate: 0, "" }}{% endfor %}{% endfor %}`,
    ],
    [
      "texts that are cut into many parts",
      "{% for a in situation.data.lines %}{{ situation.data.text | replace: 'a', '' }}{% endfor %}.",
    ],
    [
      "texts that many parts are removed from",
      "{% for a in situation.data.lines %}{{ situation.data.text | remove: 'a' }}{% endfor %}.",
    ],
  ])("with %s stops before it blocks the process", async (_, template) => {
    const lines = Array.from({ length: 100 }, () => "");
    const data = { lines, text: "a".repeat(12_000), part: `b${"a".repeat(6_000)}` };
    expect(await sent(template, decisionInput(data))).toMatchObject({
      text: null,
      error: { code: expect.stringMatching(/^(too_expensive|template_error)$/) },
    });
  });

  test("that is used in several situations has the names of all of them", async () => {
    const document = {
      ...documentWith({ do: [{ send: "text" }] }, { templates: { text: "{{ situation.data.total }}" } }),
      otherwise: [{ send: "text" }],
    };
    expect((await checkDocument(document)).problems).toEqual([]);
    const { problems } = await checkDocument({
      ...document,
      rules: [...document.rules, { id: "other", on: "message.received", do: [{ send: "text" }] }],
    });
    expect(problems).toMatchObject([
      { path: "templates.text", message: "refers to situation.data.total, which does not exist" },
    ]);
  });
});
