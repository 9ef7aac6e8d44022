import { Token } from "liquidjs";
import { checkDocument } from "../../src/features/configuration/document/check-document";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import {
  compileChecked,
  decisionInput,
  documentWith,
  evaluateCondition,
  problemsOf,
} from "../support/configuration";

const effectsFor = async (template: object, locale: string | null, data = {}) => {
  const configuration = await compileChecked(
    { do: [{ send: "shipped" }] },
    { templates: { shipped: template } },
  );
  const input = decisionInput(data);
  const contact = input.contact && { ...input.contact, locale };
  return evaluate(configuration, { ...input, contact }).effects;
};

describe("a template with translations", () => {
  const SHIPPED = {
    text: "Shipped",
    subject: "Order {{ situation.data.text }}",
    locales: {
      "de-CH": { text: "Verschickt", subject: "Bestellung {{ situation.data.text }}" },
      de: { text: "Versandt" },
      "zh-Hant": { text: "\u5df2\u5bc4\u51fa" },
    },
  };

  test.each([
    ["de-CH", "de-CH", "Verschickt"],
    ["de-CH-1996", "de-CH", "Verschickt"],
    ["DE-ch", "de-CH", "Verschickt"],
    ["de-AT-u-ca-gregory", "de", "Versandt"],
    ["zh-Hant-TW-x-a-b", "zh-Hant", "\u5df2\u5bc4\u51fa"],
    ["zh-Hans-CN", undefined, "Shipped"],
    ["zh", undefined, "Shipped"],
    ["fr", undefined, "Shipped"],
    ["", undefined, "Shipped"],
    [null, undefined, "Shipped"],
  ])("for the locale %s has the text in %s", async (locale, chosen, text) => {
    const [effect] = await effectsFor(SHIPPED, locale);
    expect(effect).toMatchObject({ kind: "send", template: "shipped", text });
    expect(effect && "locale" in effect ? effect.locale : undefined).toBe(chosen);
  });

  test.each([
    ["de-CH", "A1", "Bestellung A1"],
    // A translation without a subject uses the template's subject.
    ["de", "A1", "Order A1"],
    ["fr", "A\r\nBcc: eve@customer.test\t1", "Order A Bcc: eve@customer.test 1"],
    ["fr", "\u{1f600}".repeat(300), `Order ${"\u{1f600}".repeat(194)}`],
  ])("for the locale %s and the text %j has a subject of one line", async (locale, text, subject) => {
    expect(await effectsFor(SHIPPED, locale, { text })).toMatchObject([{ subject }]);
  });

  test("has the line's subject if its own is empty, and fails if its subject fails", async () => {
    const [empty] = await effectsFor({ text: "a", subject: "{{ situation.data.text }}" }, null, {
      text: " ",
    });
    expect(empty).not.toHaveProperty("subject");
    const failing = { text: "a", locales: { de: { text: "b", subject: "{{ contact.attributes.no }}" } } };
    expect(await effectsFor(failing, "de")).toMatchObject([
      { text: null, locale: "de", error: { code: "template_error" } },
    ]);
  });
});

const textOf = async (
  template: string,
  more: { data?: object; locale?: string; timezone?: string | null; parts?: object } = {},
) => {
  const { data = {}, locale = null, timezone = "Europe/Zurich", parts = {} } = more;
  const templates = { shipped: template };
  const configuration = await compileChecked({ do: [{ send: "shipped" }] }, { templates, ...parts });
  const input = decisionInput(data as Record<string, unknown>);
  const contact = input.contact && { ...input.contact, locale, timezone };
  const [effect] = evaluate(configuration, { ...input, contact }).effects;
  if (effect?.kind !== "send") throw new Error("The rule sends.");
  // Versions of ICU differ in their spaces and apostrophes.
  return (effect.text ?? effect.error?.message)?.replace(/[\u00a0\u202f]/g, " ").replaceAll("\u2019", "'");
};

/** Returns text in the contact's language. */
const inLocale = (locale: string, template: string, data: object = {}) =>
  textOf(template, { locale, data, parts: { locale: locale.slice(0, 2) } });

describe("a text formats", () => {
  test.each([
    ["en-US", 1234.5, "$1,234.50"],
    ["de", 1234.5, "1.234,50 $"],
    ["de-CH", 1234.5, "$ 1'234.50"],
    ["fr", 1234.5, "1 234,50 $US"],
    ["ja", 1234.5, "$1,234.50"],
    ["ar-EG", 1234.5, "\u200f\u0661\u066c\u0662\u0663\u0664\u066b\u0665\u0660 US$"],
  ])("money in %s", async (locale, total, text) => {
    expect(await inLocale(locale, '{{ situation.data.total | money: "USD" }}', { total })).toBe(text);
  });

  test.each([
    ["9223372036854775807.129", 2, "9.223.372.036.854.775.807,13"],
    ["-9007199254740993", 0, "-9.007.199.254.740.993"],
    ["0.5", 0, "1"],
  ])("the number %s exactly, with %i digits", async (text, digits, expected) => {
    expect(await inLocale("de", `{{ situation.data.text | number: ${digits} }}`, { text })).toBe(expected);
  });

  test.each([
    ["en", 1, "one"],
    ["en", 0, "other"],
    ["fr", 0, "one"],
    ["fr", 1_000_000, "many"],
    ["ar", 2, "two"],
    ["ar", 3, "few"],
    ["ar", 11, "many"],
    ["pl", 22, "few"],
    ["ja", 1, "other"],
  ])("the plural in %s of %i", async (locale, count, form) => {
    const forms = ["zero", "one", "two", "few", "many", "other"]
      .map((each) => `${each}: "${each}"`)
      .join(", ");
    expect(await inLocale(locale, `{{ situation.data.count | plural: ${forms} }}`, { count })).toBe(form);
  });

  test.each([
    [1, "1 item"],
    [2, "2 items"],
  ])("the plural of %i with two forms", async (count, text) => {
    const template = '{{ situation.data.count }} {{ situation.data.count | plural: "item", "items" }}';
    expect(await textOf(template, { data: { count } })).toBe(text);
  });

  // Clocks in Zurich change at 01:00 UTC.
  test.each([
    ["2026-03-29T00:59:59Z", "29.03.2026 01:59"],
    ["2026-03-29T01:00:00Z", "29.03.2026 03:00"],
    ["2026-10-25T00:30:00Z", "25.10.2026 02:30"],
    ["2026-10-25T01:30:00Z", "25.10.2026 02:30"],
    ["2026-12-31T23:30:00Z", "01.01.2027 00:30"],
  ])("%s in the zone of the contact", async (at, text) => {
    const template = '{{ situation.data.at | date: "medium" }} {{ situation.data.at | time: "short" }}';
    expect(await inLocale("de", template, { at })).toBe(text);
  });

  const AT = "2026-07-01T22:30:15Z";
  const LONG_DATE = '{{ situation.data.at | date: "long" }}';
  test.each([
    [LONG_DATE, {}, "July 2, 2026"],
    [LONG_DATE, { timezone: null }, "July 1, 2026"],
    [LONG_DATE, { timezone: null, parts: { zone: "Asia/Tokyo" } }, "July 2, 2026"],
    [LONG_DATE, { timezone: "No/Where", parts: { zone: "Asia/Tokyo" } }, "July 2, 2026"],
    ['{{ situation.data.at | date: "long", "America/New_York" }}', {}, "July 1, 2026"],
    ['{{ situation.data.at | date: "%F %T %z", contact.timezone }}', {}, "2026-07-02 00:30:15 +0200"],
    ['{{ situation.data.at | date: "%H %Z", "+05:30" }}', {}, "04 +05:30"],
    // UTC, unless the configuration has a zone.
    ['{{ situation.data.at | date: "%T %Z" }}', {}, "22:30:15 UTC"],
    ['{{ situation.data.at | date: "%T %Z" }}', { parts: { zone: "Asia/Tokyo" } }, "00:30:15 Europe/Zurich"],
    // A date without a time is the same in every zone.
    ['{{ "2026-07-01" | date: "long", "America/New_York" }}', {}, "July 1, 2026"],
    ['{{ situation.data.at | date: "short", situation.data.text }}', {}, "the time zone is unknown"],
    ['{{ situation.data.text | money: "EUR" }}', {}, "the value to format is not a number"],
    [
      "{{ situation.data.total | money: situation.data.text }}",
      {},
      "the currency must be a code such as EUR",
    ],
  ])("%s with %j as %s", async (template, more, text) => {
    expect(await textOf(template, { ...more, data: { at: AT } })).toBe(text);
  });

  test.each([
    ['money: "EURO"', 'uses the unknown currency EURO. Did you mean "EUR"?'],
    ["number: 16", "from 0 to 15"],
    ['plural: "one"', "does not pass the forms one and other"],
    ['plural: one: "one"', "does not pass the forms one and other"],
    ['plural: "a", other: "b"', "by position and by name"],
    ['plural: on: "a", other: "b"', "passes the named argument on"],
    ['date: "meduim"', 'Did you mean "medium"?'],
    ['date: "long", "Europe/Zürich"', 'Did you mean "Europe/Zurich"?'],
    ['time: "long"', "passes long to the filter time: use short or medium"],
  ])("nothing by %s, which is a problem", async (filter, message) => {
    const document = documentWith({ do: [{ send: "a" }] }, { templates: { a: `{{ 1 | ${filter} }}` } });
    const { problems } = await checkDocument(document);
    expect(problems).toMatchObject([{ path: "templates.a", message: expect.stringContaining(message) }]);
  });

  test("at most 200 values in one decision", async () => {
    const template =
      "{% for i in situation.data.lines %}{{ forloop.index | number }}{{ forloop.index | number: 1 }}{{ forloop.index | number: 2 }}{% endfor %}";
    const lines = Array.from({ length: 100 }, () => "a");
    expect(await textOf(template, { data: { lines } })).toMatch("too many steps");
  });
});

test("formatted values are recorded, and a replay uses them again", async () => {
  const configuration = await compileChecked(
    { when: ["now.getHours(contact.timezone) == 13"], do: [{ send: "a" }] },
    { templates: { a: '{{ situation.data.total | money: "EUR" }}' } },
  );
  const { formatted, effects } = evaluate(configuration, decisionInput());
  expect(formatted).toEqual({
    "offset Europe/Zurich 2026-01-15T12:00:00.000Z": "3600",
    "number en EUR  120": "\u20ac120.00",
  });
  const other = { ...formatted, "number en EUR  120": "EUR 120" };
  expect(evaluate(configuration, { ...decisionInput(), formatted: other }).effects).toEqual([
    { ...effects[0], text: "EUR 120" },
  ]);
  const plain = await compileChecked({ do: [{ send: "a" }] }, { templates: { a: "a" } });
  expect(evaluate(plain, decisionInput()).formatted).toBeUndefined();
});

describe("a condition", () => {
  test.each([
    ['situation.data.at.getHours("America/New_York") == 7', true],
    ["situation.data.at.getHours(contact.timezone) == 13", true],
    ['situation.data.at.getHours("+05:30") == 17 && situation.data.at.getMinutes("+05:30") == 30', true],
    ['situation.data.at.getHours("-08:00") == 4', true],
    ['situation.data.at.getDayOfWeek("Pacific/Auckland") == 4', true],
    ['timestamp("2026-01-01T00:30:00Z").getFullYear("America/New_York") == 2025', true],
    ['timestamp("2026-01-01T00:30:00Z").getDayOfYear("America/New_York") == 364', true],
    ['timestamp("2026-01-01T00:30:00Z").getDate("UTC") == 1', true],
    ['timestamp("2026-01-01T00:30:00Z").getDayOfMonth("UTC") == 0', true],
    ['timestamp("2026-01-01T00:30:00Z").getMonth("America/New_York") == 11', true],
    ['timestamp("2026-03-29T01:00:00Z").getHours("Europe/Zurich") == 3', true],
    ["situation.data.at.getHours(situation.data.note) == 12", true],
  ])("%s is %s", async (source, value) => {
    expect(await evaluateCondition(source, { note: null })).toMatchObject({ value, error: null });
  });

  test("fails with a zone that does not exist, which is a problem if it is written there", async () => {
    expect(await evaluateCondition("now.getHours(situation.data.text) == 1")).toMatchObject({
      error: { code: "invalid_value" },
    });
    expect(await problemsOf('now.getHours("Europe/Zuerich") == 1')).toMatchObject([
      { message: expect.stringMatching(/uses the unknown time zone .*\. Did you mean "Europe\/Zurich"\?/) },
    ]);
  });

  test("may use the same time any number of times", async () => {
    const source = Array.from({ length: 50 }, (_, i) => `now.getHours(contact.timezone) > ${i}`).join(" || ");
    expect(await evaluateCondition(`(${source}) || true`)).toMatchObject({ value: true });
  });
});

test("16,000 plurals that lack forms cost no more than the reported ones", async () => {
  const selections = jest.spyOn(Intl.PluralRules.prototype, "select");
  const positions = jest.spyOn(Token.prototype, "getPosition");
  const texts = Array.from({ length: 13 }, (_, i) => [`t${i}`, "{{1|plural:1,1}}".repeat(1_250)]);
  const { problems, warnings } = await checkDocument({
    format: 1,
    locale: "ar",
    templates: Object.fromEntries(texts),
  });
  expect(problems).toEqual([]);
  expect(warnings).toHaveLength(100);
  expect(warnings[1]).toMatchObject({
    path: "templates.t0",
    message: expect.stringContaining("has no form zero, two, few, many"),
  });
  expect(selections.mock.calls.length).toBeLessThanOrEqual(201);
  expect(positions.mock.calls.length).toBeLessThanOrEqual(13 * 100);
  selections.mockRestore();
  positions.mockRestore();
});

test.each([
  [{ zone: "Europe/Zuerich" }, "zone", "must be an IANA time zone such as Europe/Zurich"],
  [{ locale: "german" }, "locale", "must be the BCP 47 tag of a known language"],
])("%j is a problem", async (parts, path, message) => {
  const { problems } = await checkDocument({ format: 1, ...parts });
  expect(problems).toEqual([{ path, message: expect.stringContaining(message) }]);
});
