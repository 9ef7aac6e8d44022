import type { Effect } from "../../src/features/configuration/document/effect";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { compileChecked, decisionInput, evaluateCondition, problemsOf } from "../support/configuration";

/** Returns the result of a condition for a message from a contact. */
const result = async (source: string, data: Record<string, unknown> = {}) => {
  const { value, error } = await evaluateCondition(source, data);
  return error ? error.code : value;
};

describe("a condition", () => {
  test.each([
    ['"vip" in contact.tags', true],
    ["situation.data.total > 100.0", true],
    ["situation.data.total > 100", true],
    ["situation.data.count == 3", true],
    ["situation.data.count / 2 == 1 && situation.data.count % 2 == 1", true],
    ["situation.data.note == null", true],
    ["has(situation.data.note)", false],
    ["has(contact.name) && !has(contact.locale)", true],
    ["situation.data.at < now && now - situation.data.at == duration('24h')", true],
    ["(now - situation.data.at).getHours() == 24", true],
    [
      "now.getFullYear() == 2026 && now.getMonth() == 0 && now.getDate() == 15 && now.getDayOfYear() == 14",
      true,
    ],
    ["timestamp('2026-01-15T12:00:00Z') == now", true],
    ["situation.data.lines.exists(each, each.startsWith('b'))", true],
    ["situation.data.lines.all(each, size(each) == 1)", true],
    ["situation.data.lines.exists_one(each, each == 'a')", true],
    ["situation.data.lines.filter(each, each != 'a').size() == 1", true],
    ["situation.data.lines.map(each, each + '!')[1] == 'b!'", true],
    ["situation.data.lines[0] == 'a'", true],
    ["contact.attributes.plan == 'pro' && contact.attributes['seats'] > 2", true],
    ["contact.attributes.exists(name, name == 'plan')", true],
    ["'seats' in contact.attributes", true],
    ["contact != null && conversation == null", true],
    ["'ÄB'.lowerAscii() == 'Äb' && ' a '.trim() == 'a'", true],
    ["true ? situation.data.ok : false", true],
    ["-9223372036854775808 < -9223372036854775807", true],
    ["int('7') + int(2.9) == 9 && double('1.5') > 1.0 && string(2) == '2'", true],
    ["situation.data.note.contains('x') || true", true],
    ["contact.attributes.missing == 1 && false", false],
    ["size('😀') == 1", true],
  ])("%s is %s", async (source, expected) => {
    expect(await result(source)).toBe(expected);
  });

  test.each([
    ["situation.data.note.contains('x')", "type_mismatch"],
    ["conversation.line == 'main'", "null_value"],
    ["contact.attributes.missing == 1", "no_such_member"],
    ["situation.data.lines[5] == 'a'", "out_of_range"],
    ["9223372036854775807 + situation.data.count > 0", "overflow"],
    ["situation.data.count / 0 == 1", "division_by_zero"],
    ["int(contact.name) == 1", "invalid_value"],
    ["timestamp(contact.name) == now", "invalid_value"],
    ["contact.attributes.plan", "type_mismatch"],
    ["contact.attributes.__proto__ == null", "no_such_member"],
    ["contact.attributes.constructor == null", "no_such_member"],
    ["contact.attributes['constructor'] == null", "no_such_member"],
  ])("%s fails with %s", async (source, expected) => {
    expect(await result(source)).toBe(expected);
  });

  test("shows the values that it has read, and why it failed", async () => {
    const source = 'contact.attributes.plan == "free" || situation.data.total > 100.0';
    expect(await evaluateCondition(source)).toEqual({
      source,
      value: true,
      error: null,
      read: [
        { path: "contact.attributes.plan", value: "pro" },
        { path: "situation.data.total", value: 120 },
      ],
    });
    expect(await evaluateCondition("conversation.state == 'open'")).toMatchObject({
      value: null,
      error: { code: "null_value", message: "conversation is null." },
      read: [{ path: "conversation", value: null }],
    });
    const [long] = (await evaluateCondition("size(situation.data.text) > 0", { text: "x".repeat(10_000) }))
      .read;
    expect(long).toEqual({ path: "situation.data.text", value: "x".repeat(200), isCut: true });
  });

  test.each([
    ["situation.data.totl > 1.0", /No such key: totl\. Did you mean "total"\?$/, 16],
    ["situation.dta.total > 1.0", /No such key: dta\. Did you mean "data"\?$/, 11],
    ["contact.nme == 'x'", /No such key: nme\. Did you mean "name"\?$/, 9],
    ["has(contact.nme)", /refers to contact.nme, which does not exist\. Did you mean "name"\?$/, 5],
    ['situation.data["totl"] > 1.0', /No such key: totl\. Did you mean "total"\?$/, 1],
    ["contact.tags.exists(tag, contact.nme == tag)", /Did you mean "name"\?$/, 34],
    ["contact.tags.exists(tag, tga == 'a')", /refers to tga, .* Did you mean "tag"\?$/, 26],
    ["contct != null", /refers to contct, which does not exist\. Did you mean "contact"\?$/, 1],
    ["contact.name.strtsWith('A')", /function strtsWith\(\)\. Did you mean "startsWith"\?$/, 1],
    ["contact.tags.exist(x, true)", /function exist\(\)\. Did you mean "exists"\?$/, 1],
    ["now > timestmp('2026-01-01T00:00:00Z')", /Did you mean "timestamp"\?$/, 7],
    ["order.total > 1.0", /refers to order, which does not exist/, 1],
    ["message.text == 'x'", /Cannot index type 'null'/, 9],
    ["situation.data.total", /is of type double, not bool/, undefined],
    ["situation.data.count == 'x'", /no such overload: int == string/, 1],
    ["situation.data.note > 5", /no such overload/, 1],
    ["1 +", /Unexpected token/, 4],
    ["'a'.matches('(a+)+$')", /calls the unsupported function matches\(\)/, 1],
    ["contact.tags.exists(x, contact.tags.exists(y, x == y))", /macro inside another macro/, 24],
    ["cel.bind(x, 1, x == 1)", /calls the unsupported function bind\(\)/, 1],
    ["{'a': 1}['a'] == 1", /uses a map/, 1],
    ["b'a' == b'a'", /uses bytes/, 1],
    ["type(1) == int", /calls the unsupported function type\(\)/, 1],
    ["dyn(1) == 1", /calls the unsupported function dyn\(\)/, 1],
    ["'a,b'.split(',').size() == 2", /calls the unsupported function split\(\)/, 1],
    ["now.getHours('Europe/Zurich', 1) > 8", /calls the unsupported function getHours\(\)$/, 1],
    ["now - now < duration('1d')", /always fails: The string is not a duration such as 1h30m/, 13],
    ["now > timestamp('2026-02-30T00:00:00Z')", /always fails: The string is not a time/, 7],
    ["int('x') == 1", /always fails: The string is not an integer/, 1],
    ["process.env.PATH == ''", /refers to process/, 1],
    ["contact.constructor == null", /No such key: constructor/, 9],
    ["globalThis != null", /refers to globalThis/, 1],
    ["1 < 99999999999999999999", /more than 64 bits/, undefined],
    ["0 < 9223372036854775808", /more than 64 bits/, undefined],
    ["-9223372036854775809 < 0", /more than 64 bits/, undefined],
    [`${"(".repeat(400)}true${")".repeat(400)}`, /maxDepth/, undefined],
    [`${"!".repeat(1_900)}true`, /nested too deeply/, undefined],
    [`true${" || true".repeat(240)}`, /nested too deeply/, undefined],
  ])("%s is rejected when it is checked", async (source, message, column) => {
    const [problem, ...others] = await problemsOf(source);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: "rules[0].when[0]", message: expect.stringMatching(message) });
    if (column !== undefined) expect(problem?.position).toEqual({ line: 1, column });
  });

  test.each([
    ["a search for a long text in a long text", "situation.data.text.contains(situation.data.part)"],
    [
      "a search for each item of a long list",
      "situation.data.lines.exists(each, situation.data.text.contains(each))",
    ],
    [
      "a text that grows with each operand",
      `size(${Array.from({ length: 60 }, () => "situation.data.text").join(" + ")}) > 0`,
    ],
    [
      "lists that are compared for each item",
      "contact.attributes.list.exists(each, contact.attributes.list + contact.attributes.list == [each])",
    ],
  ])("%s is too expensive, and so is every later clause", async (_, source) => {
    const configuration = await compileChecked({ when: [source] });
    const text = "a".repeat(15_000);
    const lines = Array.from({ length: 100 }, (_each, index) => `${index}${"a".repeat(100)}`);
    const input = decisionInput({ text, part: `b${text.slice(0, 5_000)}`, lines });
    if (input.contact) input.contact.attributes = { list: Array.from({ length: 2_000 }, () => 1) };
    const [first, second] = evaluate(configuration, input).rules;
    expect(first?.clauses).toMatchObject([{ value: null, error: { code: "too_expensive" } }]);
    expect(second).toBeUndefined();
  });
});

test("a rule's effects are applied only if its condition is true", async () => {
  const configuration = await compileChecked({
    when: ["situation.data.total > 100.0"],
    do: [{ handoff: "large" }],
  });
  const effects = (total: number): Effect[] => evaluate(configuration, decisionInput({ total })).effects;
  expect(effects(120)).toMatchObject([{ kind: "handoff", reason: "large", ruleId: "rule" }]);
  expect(effects(90)).toEqual([]);
});
