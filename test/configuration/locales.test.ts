import { evaluate } from "../../src/features/configuration/document/evaluate";
import { compileChecked, decisionInput } from "../support/configuration";

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
    // Without its own, a translation has the subject of the template.
    ["de", "A1", "Order A1"],
    ["fr", "A\r\nBcc: eve@customer.test\t1", "Order A Bcc: eve@customer.test 1"],
    ["fr", "\u{1f600}".repeat(300), `Order ${"\u{1f600}".repeat(194)}`],
  ])("for the locale %s and the text %j has a subject of one line", async (locale, text, subject) => {
    expect(await effectsFor(SHIPPED, locale, { text })).toMatchObject([{ subject }]);
  });

  test("has the line's subject if its own is empty, and fails with its subject", async () => {
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
