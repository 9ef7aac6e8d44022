import { checkDocument } from "../../src/features/configuration/document/check-document";
import { CompiledConfiguration } from "../../src/features/configuration/document/compiled-configuration";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { compile, decisionInput, documentWith } from "../support/configuration";

const sending = (html: unknown, more: object = {}) =>
  documentWith({ do: [{ send: "text" }] }, { templates: { text: { text: "Hi", html, ...more } } });

const write = (configuration: CompiledConfiguration, values: object, locale: string | null = null) => {
  const input = decisionInput({ ...values });
  const contact = input.contact && { ...input.contact, locale };
  const [effect] = evaluate(configuration, { ...input, contact }).effects;
  if (effect?.kind !== "send") throw new Error("The rule sends nothing.");
  return effect;
};

/** Returns the HTML that a template writes, or the reason why it writes none. */
const html = async (template: string, text = "Hello", lines: string[] = ["a", "b"]) => {
  const { html: written, error } = write(await compile(sending(template)), { text, lines });
  return error ? `${error.code}: ${error.message}` : written;
};

const MARKUP = `"><img src=x onerror='alert(1)'></a>&lt;`;
const ESCAPED = "&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&lt;/a&gt;&amp;lt;";

describe("the HTML of a template", () => {
  test.each([
    ["<p>Hi {{ contact.name }}<br>a & b > c</p>", "<p>Hi Anna<br>a & b > c</p>"],
    ["<P ALIGN = 'right'>{{ situation.data.total }}</P >", "<P ALIGN = 'right'>120</P >"],
    [
      "<ul>{% for each in situation.data.lines %}<li>{{ each }}</li>{% endfor %}</ul>",
      "<ul><li>a</li><li>b</li></ul>",
    ],
    [
      "<td{% if situation.data.ok %} width=\"5\"{% endif %} height='{{ situation.data.count }}'/></td>",
      `<td width="5" height='3'/></td>`,
    ],
    [
      '<a href="{% if situation.data.ok %}https://a.test/{% else %}mailto:{% endif %}{{ situation.data.text }}">x</a>',
      '<a href="https://a.test/Hello">x</a>',
    ],
    [
      "<p style=\"color: rgb(1, 2, 3); font-family: 'Open Sans', serif; margin-top:0 !important;\">x</p>",
      "<p style=\"color: rgb(1, 2, 3); font-family: 'Open Sans', serif; margin-top:0 !important;\">x</p>",
    ],
    ['<img src="HTTPS://a.test/a.png" alt="">', '<img src="HTTPS://a.test/a.png" alt="">'],
    ["{% if situation.data.note %}<p>x</p>{% endif %} ", undefined],
  ])("%s is written as %s", async (template, expected) => {
    expect(await html(template)).toBe(expected);
  });

  test.each([
    ["<p>{{ situation.data.text }}</p>", `<p>${ESCAPED}</p>`],
    ['<p title="{{ situation.data.text }}">x</p>', `<p title="${ESCAPED}">x</p>`],
    ["<p title='{{ situation.data.text }}'>x</p>", `<p title='${ESCAPED}'>x</p>`],
    ["<p>{{ situation.data.lines }}</p>", `<p>${ESCAPED}${ESCAPED}</p>`],
    ["<p>{{ situation.data.text | append: '<b>' }}</p>", `<p>${ESCAPED}&lt;b&gt;</p>`],
    [
      '<a href="https://a.test/?q={{ situation.data.text }}">x</a>',
      `<a href="https://a.test/?q=${ESCAPED}">x</a>`,
    ],
  ])("%s keeps markup in values as text", async (template, expected) => {
    expect(await html(template, MARKUP, [MARKUP, MARKUP])).toBe(expected);
  });

  test.each([
    ["href", "https://a.test/?a=1&b=2", '<a href="https://a.test/?a=1&amp;b=2">x</a>'],
    ["href", "mailto:a@a.test", '<a href="mailto:a@a.test">x</a>'],
    ...[
      ...["javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)"],
      ...["data:text/html,x", "http://a.test", "//a.test", "/a", "https:/a.test", " https://a.test", ""],
      ...["&#106;avascript:alert(1)", "vbscript:x", "mailto", "\u0001javascript:alert(1)"],
    ].map((url) => [
      "href",
      url,
      "template_error: the HTML has an invalid href: it must start with https:// or mailto:",
    ]),
    ["src", "mailto:a@a.test", "template_error: the HTML has an invalid src: it must start with https://"],
    ["src", "cid:a", "template_error: the HTML has an invalid src: it must start with https://"],
  ])("the value of %s may not be %j", async (attribute, url, expected) => {
    const template =
      attribute === "href"
        ? '<a href="{{ situation.data.text }}">x</a>'
        : '<img src="{{ situation.data.text }}">';
    expect(await html(template, url)).toBe(expected);
  });

  const HERE = "must not insert a value outside quotes in a tag";
  const ALIKE = "has branches that do not open and close the same tags and quotes";
  test.each([
    ["<script>alert(1)</script>", "must not contain the element script", 1],
    ["<p>a</p>\n<stronng>b</stronng>", 'must not contain the element stronng. Did you mean "strong"?', 1],
    ["<style>p { color: red }</style>", 'must not contain the element style. Did you mean "small"?', 1],
    ["<iframe src='https://a.test'></iframe>", "must not contain the element iframe", 1],
    ["<svg/onload=alert(1)>", 'must not contain the element svg. Did you mean "img"?', 1],
    ["a <!-- b -->", "must not contain a comment or declaration", 3],
    ["<![CDATA[x]]>", "must not contain a comment or declaration", 1],
    ["a < b", "has an unescaped <: write &lt; instead", 3],
    ['<p onclick="x">a</p>', "must not use the attribute onclick in <p>", 4],
    ['<p titel="x">a</p>', 'must not use the attribute titel in <p>. Did you mean "title"?', 4],
    ['<p href="https://a.test">a</p>', "must not use the attribute href in <p>", 4],
    ['<img srcset="https://a.test" >', 'must not use the attribute srcset in <img>. Did you mean "src"?', 6],
    ["<p title=a>b</p>", "is missing a quoted value for the attribute title", 4],
    ["<p title>b</p>", "is missing a quoted value for the attribute title", 4],
    ['<p title="a"align="b">c</p>', "has a malformed <p> tag", 13],
    ['<p title="<b">c</p>', "has an unescaped < in the attribute title", 11],
    ['<a href="javascript:x">a</a>', "has an invalid href: it must start with https:// or mailto:", 10],
    ['<a href="">a</a>', "has an invalid href: it must start with https:// or mailto:", 10],
    [
      '<a href="java{{ situation.data.text }}">a</a>',
      "has an invalid href: it must start with https:// or mailto:",
      14,
    ],
    ["<img src='data:image/png,x'>", "has an invalid src: it must start with https://", 11],
    ['<p style="background: url(https://a.test)">a</p>', "has an invalid value for the style background", 11],
    ['<p style="width: expression(alert(1))">a</p>', "has an invalid value for the style width", 11],
    ['<p style="colour: red">a</p>', 'must not use the style colour. Did you mean "color"?', 11],
    ['<p style="red">a</p>', "has a style without a name", 11],
    ['<p style="color: {{ situation.data.text }}">a</p>', "must not insert a value in a style", 18],
    ["<p {{ situation.data.text }}>a</p>", HERE, 4],
    ["<p title={{ situation.data.text }}>a</p>", "is missing a quoted value for the attribute title", 4],
    ["<{{ situation.data.text }}>", "has an unescaped <: write &lt; instead", 1],
    ["<b{{ situation.data.text }}>a</b>", HERE, 3],
    ["<b>a", "has an unclosed <b>", 5],
    ["<b", "is missing the > of <b", 3],
    ['<b title="a>b</b>', "has an unescaped < in the attribute title", 14],
    ['<b title="a', "has an unclosed quote in the attribute title", 12],
    ["<b><i>a</b></i>", "has an unexpected </b>: </i> is expected first", 8],
    ["a</b>", "has an unexpected </b>", 2],
    ["<br></br>", "has an unexpected </br>", 5],
    [`${"<b>".repeat(101)}a${"</b>".repeat(101)}`, "nests elements too deeply", 303],
    ["{% if situation.data.ok %}<b>{% endif %}a{% if situation.data.ok %}</b>{% endif %}", ALIKE, 1],
    ["{% for each in situation.data.lines %}<li>{% endfor %}", ALIKE, 1],
    ["<b>{% for each in situation.data.lines %}</b>{% else %}</b>{% endfor %}", ALIKE, 4],
    ['<p title="{% case situation.data.text %}{% when "a" %}">{% else %}b{% endcase %}</p>', ALIKE, 11],
    [
      "<p>{{ situation.data.textt }}</p>",
      'refers to situation.data.textt, which does not exist. Did you mean "text"?',
      7,
    ],
    ["{{ situation.data.text | raw }}", "uses the unsupported filter raw", 1],
  ])("%s is rejected, because it %s", async (template, message, column) => {
    const { problems } = await checkDocument(sending(template));
    expect(problems).toMatchObject([{ path: "templates.text.html", message }]);
    const line = template.slice(0, template.indexOf("stronng")).split("\n").length;
    expect(problems[0]?.position).toEqual({ line: template.includes("stronng") ? line : 1, column });
  });

  test("is checked in each language, and a translation without HTML is only text", async () => {
    const document = sending("<b>Hi</b>", {
      locales: { de: { text: "Hallo" }, fr: { text: "Bonjour", html: "<i>Bonjour</i>" } },
    });
    const configuration = await compile(document);
    const written = (locale: string) => write(configuration, {}, locale);
    expect(written("en")).toMatchObject({ text: "Hi", html: "<b>Hi</b>" });
    expect(written("de")).toMatchObject({ text: "Hallo" });
    expect("html" in written("de")).toBe(false);
    expect(written("fr")).toMatchObject({ text: "Bonjour", html: "<i>Bonjour</i>" });
    const broken = sending("<b>", {
      locales: { de: { text: "a", html: "<u>" }, fr: { text: "b", html: 1 } },
    });
    expect((await checkDocument(broken)).problems).toMatchObject([
      { path: "templates.text.html", message: "has an unclosed <b>" },
      { path: "templates.text.locales.de.html", message: "has an unclosed <u>" },
      { path: "templates.text.locales.fr.html", message: "must be a string" },
    ]);
  });

  test("is checked again when it is written, whatever the document's check allowed", () => {
    const document = sending("<p>{{ situation.data.text }}</p><script>x</script>");
    const configuration = new CompiledConfiguration(document as never, true);
    expect(write(configuration, {})).toMatchObject({
      text: null,
      error: {
        code: "template_error",
        message: "the HTML must not contain the element script",
      },
    });
  });

  test("is sent again with its message", async () => {
    const rule = { id: "again", on: "message.failed", do: [{ resend: true }] };
    const configuration = await compile({ format: 1, rules: [rule] });
    const situation = { type: "message.failed", data: { messageId: "m-1" } };
    const failed = { text: "Hi", subject: null, html: "<b>Hi</b>", wasResent: false };
    const { effects } = evaluate(configuration, { ...decisionInput(), situation, failed });
    expect(effects).toMatchObject([{ text: "Hi", html: "<b>Hi</b>", resendOf: "m-1" }]);
  });

  test("is bounded, for a message and for a decision", async () => {
    const loop = "{% for each in situation.data.lines %}<p title='a'>{{ each }}</p>{% endfor %}";
    const lines = Array.from({ length: 100 }, () => "&".repeat(300));
    expect(await html(loop, "", lines)).toBe("template_error: the text has more than 40000 characters");
    const rule = { do: [{ send: "text" }, { send: "text" }] };
    const twice = documentWith(rule, { templates: { text: { text: "Hi", html: loop } } });
    const { effects } = evaluate(
      await compile(twice),
      decisionInput({ lines: Array.from({ length: 100 }, () => "a".repeat(300)) }),
    );
    expect(effects.map(({ error }) => error?.message)).toEqual([
      undefined,
      "the HTML of the decision's messages has more than 60000 characters",
    ]);
    const texts = await Promise.all(
      ["<b>", "<b ", "<", '<b title="', "<a href='", "&", "<p style='color:red;", "<!--"].map(
        async (part) => (await checkDocument(sending(part.repeat(20_000 / part.length)))).problems,
      ),
    );
    expect(texts.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 0, 1, 1]);
    expect((await checkDocument(sending("a".repeat(1_000_000)))).problems).toHaveLength(1);
  });
});
