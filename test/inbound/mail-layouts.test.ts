import { readMail } from "../../src/features/inbound/mail";
import { ownWords } from "../../src/features/inbound/own-words";
import { slowTest } from "../support/slow-test";

const ACME = "Acme &lt;acme@example.com&gt;";

/** Introductions to quoted e-mails in mail programs, and the names in header blocks, by language. */
const LANGUAGES: Readonly<Record<string, { wrote: string; names: readonly string[] }>> = {
  en: { wrote: `On Sat, Nov 21, 2026 at 7:36 AM ${ACME} wrote:`, names: ["From", "Sent", "To", "Subject"] },
  de: {
    wrote: `Am Sa., 21. Nov. 2026 um 07:36 Uhr schrieb ${ACME}:`,
    names: ["Von", "Gesendet", "An", "Betreff"],
  },
  fr: { wrote: `Le sam. 21 nov. 2026 à 07:36, ${ACME} a écrit :`, names: ["De", "Envoyé", "À", "Objet"] },
  es: {
    wrote: `El sáb, 21 nov 2026 a las 7:36, ${ACME} escribió:`,
    names: ["De", "Enviado el", "Para", "Asunto"],
  },
  it: {
    wrote: `Il giorno sab 21 nov 2026 alle ore 07:36 ${ACME} ha scritto:`,
    names: ["Da", "Inviato", "A", "Oggetto"],
  },
  pt: {
    wrote: `Em sáb., 21 de nov. de 2026 às 07:36, ${ACME} escreveu:`,
    names: ["De", "Enviado", "Para", "Assunto"],
  },
  nl: {
    wrote: `Op za 21 nov 2026 om 07:36 schreef ${ACME}:`,
    names: ["Van", "Verzonden", "Aan", "Onderwerp"],
  },
  sv: { wrote: `Den lör 21 nov. 2026 kl 07:36 skrev ${ACME}:`, names: ["Från", "Skickat", "Till", "Ämne"] },
  pl: { wrote: `sob., 21 lis 2026 o 07:36 ${ACME} napisał(a):`, names: ["Od", "Wysłano", "Do", "Temat"] },
  ru: { wrote: `сб, 21 нояб. 2026 г. в 07:36, ${ACME}:`, names: ["От", "Отправлено", "Кому", "Тема"] },
  ja: { wrote: `2026年11月21日(土) 7:36 ${ACME}:`, names: ["差出人", "送信日時", "宛先", "件名"] },
};

const values = [ACME, "Saturday, 21 November 2026 07:36", "anna@example.com", "Order"];
const BODY = "<p>Reply STOP to end.</p><p>We are looking for your order.</p>";

interface Parts {
  wrote: string;
  block: string;
}

/** The HTML of a reply that says STOP, as programs write it. */
const PROGRAMS: Readonly<Record<string, (parts: Parts) => string>> = {
  Gmail: ({ wrote }) =>
    `<div dir="ltr">STOP</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${wrote}<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">${BODY}</blockquote></div>`,
  "Gmail with a signature": ({ wrote }) =>
    `<div dir="ltr">STOP<br clear="all"><div><div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature"><div>Anna, Sales</div></div></div></div><div class="gmail_quote">${wrote}<br><blockquote class="gmail_quote">${BODY}</blockquote></div>`,
  "Apple Mail": ({ wrote }) =>
    `<html><head></head><body dir="auto">STOP<br id="lineBreakAtBeginningOfSignature"><div><br><blockquote type="cite"><div>${wrote}</div><br class="Apple-interchange-newline"><div>${BODY}</div></blockquote></div></body></html>`,
  Thunderbird: ({ wrote }) =>
    `<body>\n<p>STOP<br></p>\n<div class="moz-cite-prefix">${wrote}<br></div>\n<blockquote type="cite" cite="mid:1@acme.example">${BODY}</blockquote>\n<pre class="moz-signature" cols="72">-- \nAnna</pre></body>`,
  Yahoo: ({ wrote }) =>
    `<div class="ydp1yahoo-style-wrap"><div dir="ltr">STOP</div></div><div id="yahoo_quoted_123" class="yahoo_quoted"><div><div>${wrote}</div><div><br></div><div>${BODY}</div></div></div>`,
  Proton: ({ wrote }) =>
    `<div>STOP</div><div class="protonmail_signature_block"><div class="protonmail_signature_block-user">Anna</div></div><div class="protonmail_quote">${wrote}<br><br><blockquote class="protonmail_quote" type="cite">${BODY}</blockquote><br></div>`,
  Zoho: ({ wrote }) =>
    `<div style="font-family: Verdana;"><div>STOP</div><div class="zmail_extra" data-zbluepencil-ignore="true"><br><div id="Zm-_Id_-Sgn1">---- ${wrote.replace(/:$/, "")} ----<br></div><br><blockquote style="margin: 0px;">${BODY}</blockquote></div></div>`,
  GMX: ({ wrote }) =>
    `<div style="font-family: Verdana;"><div>STOP</div><div name="quote" style="margin:10px 5px 5px 10px;"><div>${wrote}</div><div name="quoted-content">${BODY}</div></div></div>`,
  Outlook: ({ block }) =>
    `<div class=WordSection1><p class=MsoNormal>STOP<o:p></o:p></p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in'><p class=MsoNormal>${block}<o:p></o:p></p></div></div>${BODY}</div>`,
  "Outlook on the web": ({ block }) =>
    `<div>STOP</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font face="Calibri">${block}</font><div>&nbsp;</div></div><div>${BODY}</div>`,
  "Outlook for iOS": ({ block }) =>
    `<div dir="ltr">STOP</div><div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div><hr tabindex="-1"><div id="divRplyFwdMsg" dir="ltr">${block}</div>${BODY}`,
};

const LAYOUTS = Object.entries(PROGRAMS).flatMap(([program, write]) =>
  Object.entries(LANGUAGES).map(([language, { wrote, names }]) => ({
    name: `${program} (${language})`,
    html: write({ wrote, block: names.map((each, i) => `<b>${each}:</b> ${values[i]}<br>`).join("") }),
  })),
);

/** Returns the text part that programs create from their HTML. */
const textOf = (html: string): string =>
  html
    .replace(
      /<blockquote[^>]*>(.*?)<\/blockquote>/gs,
      (_, quoted) => `<br>&gt; ${quoted.replace(/<p>/g, "<br>&gt; ")}<br>`,
    )
    .replace(/\n/g, "")
    .replace(/<(hr)[^>]*>/g, `<br>${"_".repeat(32)}<br>`)
    .replace(/<div [^>]*class="[a-z_]*signature(_block)?"[^>]*>/g, "<br>-- <br>")
    .replace(/<(br|div|p|pre)\b[^>]*>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&nbsp;", " ");

const mail = (...body: string[]) =>
  ["From: anna@example.com", "Subject: Re: Order", "MIME-Version: 1.0", ...body].join("\r\n");
const read = async (raw: string) =>
  readMail([Buffer.from(raw)], { id: "1", organizationId: "one", lineId: "one" });
const HTML = "Content-Type: text/html; charset=utf-8";
const both = (text: string, html: string) =>
  mail(
    "Content-Type: multipart/alternative; boundary=b",
    ...["", "--b", "Content-Type: text/plain; charset=utf-8", "", text],
    ...["--b", HTML, "", html, "--b--"],
  );

test("the author's words end where the text of any program quotes an e-mail", () => {
  const wrong = LAYOUTS.flatMap(({ name, html }) => {
    const { own } = ownWords(textOf(html).trim());
    return own === "STOP" ? [] : [`${name}: ${JSON.stringify(own)}`];
  });
  expect(wrong).toEqual([]);
});

slowTest("the author's words end where the HTML of any program quotes an e-mail", async () => {
  const wrong: string[] = [];
  for (const { name, html } of LAYOUTS) {
    const { text } = (await read(mail(HTML, "", html))) as { text: string };
    if (text !== "STOP") wrong.push(`${name}: ${JSON.stringify(text)}`);
  }
  expect(wrong).toEqual([]);
  expect(2 * LAYOUTS.length).toBeGreaterThan(200);
});

/** The prefixes of forwarded e-mails in common languages. */
const FORWARDS =
  "Fwd: FW: WG: TR: RV: I: ENC: Doorst: VS: VB: VL: PD: Továbbítás: İLT: 转发： 轉寄： 転送：".split(" ");

test.each(FORWARDS)("a forwarded e-mail without words is kept whole (%s)", async (prefix) => {
  const raw = ["From: anna@example.com", `Subject: ${prefix} Order`, "", "> Hello", "> Acme"].join("\r\n");
  const whole = { text: expect.stringMatching(/^> Hello\s+> Acme$/), mail: { quoted: null } };
  expect(await read(raw)).toMatchObject(whole);
});

const QUOTING =
  '<div>Yes</div><div class="gmail_quote"><div class="gmail_attr">Acme</div><blockquote>STOP</blockquote></div>';

test.each<[string, string, { text: string; optOutText?: string }]>([
  ["HTML alone", mail(HTML, "", QUOTING), { text: "Yes" }],
  ["a text that only mentions HTML", both("This is an HTML e-mail.", QUOTING), { text: "Yes" }],
  ["an empty text", both(" ", QUOTING), { text: "Yes" }],
  ["a text that does not mark the quotation", both("Yes\n\nAcme\n\n  STOP", QUOTING), { text: "Yes" }],
  ["a text that also marks it", both("Yes!\n\n> STOP", QUOTING), { text: "Yes!" }],
  [
    "answers between quotations",
    mail(HTML, "", "<blockquote>One?</blockquote>Yes<blockquote>Two?</blockquote>No"),
    { text: expect.stringMatching(/^Yes\s+No$/) as never },
  ],
  [
    "an indented paragraph",
    mail(HTML, "", 'A<blockquote style="margin:0 0 0 40px;border:none">B</blockquote>C'),
    { text: expect.stringMatching(/^A\s+B\s+C$/) as never },
  ],
  [
    "STOP only in the HTML",
    both("STOP\n\nAcme Sales", '<div>STOP</div><div class="gmail_signature">Acme Sales</div>'),
    { text: "STOP", optOutText: "STOP" },
  ],
  [
    "STOP only in the text",
    both("STOP\n\n> Order", "<div>STOP</div><div>Acme</div><blockquote>Order</blockquote>"),
    { text: "STOP", optOutText: "STOP" },
  ],
])("%s: the author's words are found", async (_, raw, expected) => {
  expect(await read(raw)).toMatchObject(expected);
});
