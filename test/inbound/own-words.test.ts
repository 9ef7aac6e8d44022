import { ownWords } from "../../src/features/inbound/own-words";

const QUOTE = ["> Your order is on its way.", ">", "> Acme"];

describe("the author's text in an e-mail", () => {
  test.each<[string, string[], string]>([
    ["all of it", ["Hello", "", "Anna"], "Hello\n\nAnna"],
    ["above a signature", ["STOP", "", "-- ", "Anna"], "STOP"],
    ["above a signature whose space is lost", ["STOP", "--", "Anna"], "STOP"],
    ["above a quote", ["STOP", "", ...QUOTE], "STOP"],
    ["above a quote and its attribution", ["STOP", "", "On 21 Nov 2026, Acme wrote:", ...QUOTE], "STOP"],
    ["directly above both", ["STOP", "Am 21.11.26 schrieb Acme:", "", ...QUOTE], "STOP"],
    [
      "above a quote's attribution of two lines",
      ["STOP", "", "On Sat, Nov 21, 2026 at 7:36 AM Acme", "<acme@example.com> wrote:", "", ...QUOTE],
      "STOP",
    ],
    ["above Outlook's line", ["STOP", "", "-----Original Message-----", "From: Acme"], "STOP"],
    ["above Outlook's rule", ["STOP", "", "_".repeat(32), "From: Acme"], "STOP"],
    ["above the first of several", ["STOP", "-- ", "Anna", "", ...QUOTE], "STOP"],
    ["below a quote", [...QUOTE, "", "STOP"], "STOP"],
    ["a list", ["I want:", "- one", "-- two"], "I want:\n- one\n-- two"],
    ["a comparison", ["STOP", "a > b"], "STOP\na > b"],
    ["the text above a quote, without a colon", ["STOP", "please", ...QUOTE], "STOP\nplease"],
    ["nothing", [], ""],
  ])("is %s", (_, lines, expected) => {
    for (const newline of ["\n", "\r\n"]) expect(ownWords(lines.join(newline)).own).toBe(expected);
  });
});

const ACME = "Acme <acme@example.com>";

/** Introductions to quoted e-mails in mail programs. */
const ATTRIBUTIONS = [
  `On Sat, Nov 21, 2026 at 7:36 AM ${ACME} wrote:`,
  `On 21 Nov 2026, at 07:36, ${ACME} wrote:`,
  "On 21/11/2026 07:36, Acme wrote:",
  "On Saturday, November 21st, 2026 at 07:36, Acme <acme@example.com> wrote:",
  `---- On Sat, 21 Nov 2026 07:36:59 +0100 ${ACME} wrote ----`,
  `Am Sa., 21. Nov. 2026 um 07:36 Uhr schrieb ${ACME}:`,
  "Am 21.11.26 um 07:36 schrieb Acme:",
  `Le sam. 21 nov. 2026 à 07:36, ${ACME} a écrit :`,
  "Le 21/11/2026 à 07:36, Acme a écrit :",
  `El sáb, 21 nov 2026 a las 7:36, ${ACME} escribió:`,
  `Il giorno sab 21 nov 2026 alle ore 07:36 ${ACME} ha scritto:`,
  `Em sáb., 21 de nov. de 2026 às 07:36, ${ACME} escreveu:`,
  `Op za 21 nov 2026 om 07:36 schreef ${ACME}:`,
  `Den lör 21 nov. 2026 kl 07:36 skrev ${ACME}:`,
  `lør. 21. nov. 2026 kl. 07:36 skrev ${ACME}:`,
  `la 21. marrask. 2026 klo 7.36 ${ACME} kirjoitti:`,
  `sob., 21 lis 2026 o 07:36 ${ACME} napisał(a):`,
  `so 21. 11. 2026 v 7:36 odesílatel ${ACME} napsal:`,
  `сб, 21 нояб. 2026 г. в 07:36, ${ACME}:`,
  "21.11.2026 07:36, Acme пишет:",
  `Acme <acme@example.com>, 21 Kas 2026 Cmt, 07:36 tarihinde şunu yazdı:`,
  `Acme <acme@example.com> ezt írta (időpont: 2026. nov. 21., Szo, 7:36):`,
  `sâm., 21 nov. 2026 la 07:36, ${ACME} a scris:`,
  `2026年11月21日(土) 7:36 ${ACME}:`,
  `Acme <acme@example.com> 于2026年11月21日周六 07:36写道：`,
  `2026년 11월 21일 (토) 오전 7:36, Acme <acme@example.com>님이 작성:`,
];

/** Header blocks of Outlook and other programs. */
const HEADERS = [
  ["From", "Sent", "To", "Subject"],
  ["Von", "Gesendet", "An", "Betreff"],
  ["De", "Envoyé", "À", "Objet"],
  ["De", "Enviado el", "Para", "Asunto"],
  ["Da", "Inviato", "A", "Oggetto"],
  ["De", "Enviado", "Para", "Assunto"],
  ["Van", "Verzonden", "Aan", "Onderwerp"],
  ["Från", "Skickat", "Till", "Ämne"],
  ["Fra", "Sendt", "Til", "Emne"],
  ["Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"],
  ["Od", "Wysłano", "Do", "Temat"],
  ["Od", "Odesláno", "Komu", "Předmět"],
  ["От", "Отправлено", "Кому", "Тема"],
  ["Kimden", "Gönderildi", "Kime", "Konu"],
  ["Feladó", "Elküldve", "Címzett", "Tárgy"],
  ["De la", "Trimis", "Către", "Subiect"],
  ["差出人", "送信日時", "宛先", "件名"],
  ["发件人", "发送时间", "收件人", "主题"],
  ["보낸 사람", "보낸 날짜", "받는 사람", "제목"],
];

const FOOTERS = [
  "Sent from my iPhone",
  "Get Outlook for iOS<https://aka.ms/o0ukef>",
  "Get Outlook for Android",
  "Sent from Outlook for iOS",
  "Sent from Mail for Windows",
  "Sent from Mail<https://go.microsoft.com/fwlink/?LinkId=550986> for Windows 10",
  "Sent from my Samsung Galaxy smartphone.",
  "Sent from Yahoo Mail on Android",
  "Sent with Proton Mail secure email.",
  "Von meinem iPhone gesendet",
  "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
  "Gesendet von Outlook für iOS",
  "Gesendet mit der GMX Mail App",
  "Outlook für Android herunterladen",
  "Envoyé de mon iPhone",
  "Télécharger Outlook pour iOS",
  "Enviado desde mi iPhone",
  "Obtener Outlook para iOS",
  "Inviato da iPhone",
  "Ottieni Outlook per iOS",
  "Enviado do meu iPhone",
  "Verstuurd vanaf mijn iPhone",
  "Outlook voor iOS downloaden",
  "Skickat från min iPhone",
  "Sendt fra min iPhone",
  "Lähetetty iPhonesta",
  "Lähetetty Samsung Galaxy -älypuhelimesta",
  "Wysłane z iPhone'a",
  "Odesláno z iPhonu",
  "Отправлено с iPhone",
  "Надіслано з iPhone",
  "iPhone'umdan gönderildi",
  "iPhone készülékemről küldve",
  "Trimis de pe iPhone-ul meu",
  "iPhoneから送信",
  "发自我的iPhone",
  "從我的 iPhone 傳送",
  "나의 iPhone에서 보냄",
  "Sent from my phone.",
  "Sent from my Verizon, Samsung Galaxy smartphone",
  "Sent from my T-Mobile 4G LTE Device",
  "Sent from my Sprint Samsung Galaxy S8.",
  "Sent from my LG",
  "Sent from my HTC device",
  "Sent from my Sony Xperia",
  "Sent from the all new AOL app for iOS",
  "Sent from Mail",
  "Gesendet von meinem Tablet",
  "Gesendet mit K-9 Mail",
  "Envoyé depuis l'application Mail Orange",
  "Envoyé à partir de Courrier pour Windows",
  "Envoyé de ma tablette",
  "Enviado desde mi tableta",
  "Inviato dal mio cellulare",
  "Inviato da Libero Mail",
  "Skickat från min surfplatta",
  "Lähetetty puhelimestani",
  "Wysłane z aplikacji WP Poczta",
  "Отправлено из мобильной Почты Mail.ru",
  "Отправлено из мобильной Яндекс Почты",
  "Отправлено с моего устройства",
  "Надіслано з мобільного",
  "发自我的小米",
];

const values = ["Acme <acme@example.com>", "Saturday, 21 November 2026 07:36", "anna@example.com", "Order"];
const headerBlock = (names: readonly string[], mark = "") =>
  names.map((name, i) => `${mark}${name}:${mark} ${values[i]}`);
const BODY = ["Reply STOP to end. We are looking for your order.", "", "Acme"];

const LAYOUTS: [string, string[]][] = [
  ...ATTRIBUTIONS.map((line): [string, string[]] => [line, [line, "", ...QUOTE]]),
  // Programs that quote with lines or indentation, which plain text does not show.
  ...ATTRIBUTIONS.filter((line) => !/^(сб|Acme .*ezt)/.test(line)).map((line): [string, string[]] => [
    `${line} without marks`,
    [line, "", ...BODY],
  ]),
  ...HEADERS.flatMap((names): [string, string[]][] => [
    [`${names[0]} without a line`, [...headerBlock(names), "", ...BODY]],
    [`${names[0]} in bold type`, [...headerBlock(names, "*"), "", ...BODY]],
    [`${names[0]} below a line`, ["_".repeat(32), ...headerBlock(names), "", ...BODY]],
  ]),
  ...FOOTERS.map((line): [string, string[]] => [line, [line]]),
  ["a footer above a quotation", ["Sent from my iPhone", "", `On 21 Nov 2026, ${ACME} wrote:`, "", ...QUOTE]],
  ["the separator of Outlook Express", ["-----Original Message-----", "From: Acme", ...BODY]],
  ["a German separator", ["-----Ursprüngliche Nachricht-----", ...BODY]],
  ["a French separator", ["-----Message d'origine-----", ...BODY]],
  ["a Chinese separator", ["------------------ 原始邮件 ------------------", ...BODY]],
];

test("the author's words end where any usual program quotes an e-mail or signs its own", () => {
  const wrong = LAYOUTS.flatMap(([name, lines]) => {
    const { own, quoted } = ownWords(["STOP", "", ...lines].join("\n"));
    return own === "STOP" && quoted === lines.join("\n").trim() ? [] : [`${name}: ${JSON.stringify(own)}`];
  });
  expect(wrong).toEqual([]);
  expect(LAYOUTS.length).toBeGreaterThan(130);
});

test.each([
  [
    "answers between quoted lines",
    ["Hi,", "", "> One?", "", "Yes.", "", "> Two?", "", "No."],
    "Hi,\n\n\nYes.\n\n\nNo.",
  ],
  ["answers directly below", ["Hi,", "> One?", ">", "Yes.", "", "> Two?", ">>", "No."], "Hi,\nYes.\n\nNo."],
  ["the wrapped end of a quoted line", ["Yes", "", "> a long", "line", "> end"], "Yes"],
  ["a route", ["From: Zurich", "To: Bern", "Date: 5 May"], "From: Zurich\nTo: Bern\nDate: 5 May"],
  ["prose that mentions writing", ["On Monday I wrote:", "please call"], "On Monday I wrote:\nplease call"],
  ["prose that mentions sending", ["Sent from the warehouse?", "Yes"], "Sent from the warehouse?\nYes"],
])("%s: the author's words are known", (_, lines, own) => {
  expect(ownWords(lines.join("\n")).own).toBe(own);
});

test.each([
  "Sent from my mother's address by mistake.",
  "Sent with my application for a refund.",
  "Sent from my other e-mail.",
  "Gesendet von meiner E-Mail.",
  "Gesendet mit DHL, das Gerät ist defekt.",
  "Gesendet mit DHL am Montag, aber nie angekommen.",
  "Von meinem Mann gesendet.",
  "Envoyé de Paris lundi, jamais arrivé.",
  "Enviado desde Madrid el lunes, no ha llegado.",
  "Enviado do Porto na segunda, não chegou.",
  "Inviato con DHL lunedì, mai arrivato.",
  "Verzonden met PostNL op 12 mei, niet ontvangen.",
  "Skickat från Malmö i måndags.",
  "Sendt fra København i mandags.",
  "Lähetetty tuote oli väärän värinen.",
  "Lähetetty iPhone oli väärän värinen.",
  "Wysłano z magazynu w poniedziałek.",
  "Wysłane z poczty w poniedziałek.",
  "Odesláno z Prahy v pondělí.",
  "Отправлено из Москвы в понедельник.",
  "Отправлено с почты в понедельник.",
  "Отправлено с устройства, которое сломано.",
  "Надіслано з Києва в понеділок.",
  "Yanlış ürün gönderildi.",
  "Yanlış iPhone gönderildi.",
  "Rossz méretben küldve.",
  "Trimis de pe altă adresă.",
  "倉庫から送信",
  "发自我的家乡",
  "從我的地址傳送",
  "나의 주소에서 보냄",
])("a sentence about something that was sent is not a footer: %s", (sentence) => {
  const text = `${sentence}\n4711`;
  expect(ownWords(text).own).toBe(text);
});

/** Returns the CPU time that dividing a text takes (ms). */
function cpuMsOf(text: string): number {
  ownWords(text);
  const before = process.cpuUsage();
  ownWords(text);
  return process.cpuUsage(before).user / 1_000;
}

test("a text with many odd lines is divided quickly", () => {
  const lines = ["1:", "> 1", "a 1 -"];
  const text = Array.from({ length: 4_000 }, (_, i) => lines[i % 3]).join("\n");
  expect(cpuMsOf(text)).toBeLessThan(500);
});

/** The parts of layouts, in order. */
const PARTS: readonly string[][] = [
  ...ATTRIBUTIONS.map((line) => line.split(/(?<=[ 年<@])/)),
  ...FOOTERS.map((line) => line.split(/(?<= )/)),
  ["2011年", "<", "@", ">"],
  ["2011 ", "7:36 ", "<", "a@", ">"],
  ["---- ", "1", "@", " ----"],
  ...["Am schrieb ", "Op schreef ", "Den skrev "].map((words) => [words, ": "]),
];

test.each(PARTS.map((parts): [string, readonly string[]] => [parts.join(""), parts]))(
  "lines that repeat each part of `%s`, so that it almost matches many times, are divided quickly",
  (_, parts) => {
    const times = (part: string) => Math.max(1, Math.floor(399 / parts.length / part.length));
    const repeated = parts.map((part) => part.repeat(times(part)));
    const line = `${repeated.join("").slice(0, 399)}-`;
    expect(cpuMsOf(`${line}\n>\n`.repeat(25))).toBeLessThan(100);
  },
);
