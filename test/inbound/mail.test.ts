import { evaluate } from "../../src/features/configuration/document/evaluate";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Message } from "../../src/features/messages/message.entity";
import { compile, decisionInput } from "../support/configuration";
import { publish } from "../support/decisions";
import { addMailSender, addSender, type Sender } from "../support/inbound";
import { firstAgentId } from "../support/people";
import { sendUnsigned } from "../support/raw";
import { describeGateway } from "../support/suite";

/** Returns an e-mail with these lines; the first ones are headers. */
const mail = (...lines: string[]): string => lines.join("\r\n");

const PLAIN = ["From: Anna Müller <Anna@Example.com>", "Subject: A question"];

describeGateway({ engine: "one", env: { TRUST_PROXY: "127.0.0.1" } }, (gateway) => {
  let agentId: string;
  let sender: Sender;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, { burstSeconds: 60 });
    sender = await addMailSender(gateway, agentId, { from: "Support <support@acme.example>" });
  });

  const stored = async (raw: string) => {
    const { status, body } = await sender.mail(raw);
    expect({ status, body }).toMatchObject({ status: 202 });
    const message = await gateway.services.database.read((reader) =>
      reader.findOneByOrFail(Message, { id: body.id }),
    );
    return { ...message, answer: body };
  };

  test("an e-mail becomes a message from its sender, with its own ID and time", async () => {
    const headers = ["Message-ID: <1234@mail.example.com>", "Date: Sat, 21 Nov 2026 07:36:59 +0100"];
    const raw = mail(...PLAIN, ...headers, "", "Where is my order?", "", "Anna");
    const message = await stored(raw);
    expect(message).toMatchObject({
      text: "Where is my order?\n\nAnna",
      // Events contain it, so it does not name the sender.
      providerId: expect.stringMatching(/^[0-9a-f]{64}$/),
      sentAt: "2026-11-21T06:36:59.000Z",
      omitted: null,
    });
    const { body: contact } = await gateway.rest("GET", `/agent/contacts/${message.answer.contactId}`);
    expect(contact).toMatchObject({
      name: "Anna Müller",
      addresses: [{ kind: "email", address: "anna@example.com" }],
    });
    expect(await sender.mail(raw)).toMatchObject({ status: 200, body: { id: message.id } });
  });

  test("an e-mail's subject, thread and quoted text are kept apart from its author's words", async () => {
    const message = await stored(
      mail(
        "From: anna@example.com",
        "Subject: Cancel my\r\n subscription 4711",
        "Message-ID: <3@mail.example.com>",
        "References: <1@acme.example> not-an-id",
        "\t<2@mail.example.com>",
        "In-Reply-To: <1@acme.example>",
        "",
        "Please, see above.",
        "",
        "On 21 Nov 2026, Acme wrote:",
        "> Hello",
      ),
    );
    expect(message).toMatchObject({
      subject: "Cancel my subscription 4711",
      text: "Please, see above.",
      quoted: "On 21 Nov 2026, Acme wrote:\n> Hello",
      thread: "<2@mail.example.com> <1@acme.example> <3@mail.example.com>",
    });
    const { body } = await gateway.rest("GET", `/messages/${message.id}`);
    expect(body).toMatchObject({ subject: message.subject, quoted: message.quoted });
  });

  test.each([
    ["Re: Your order", "Re: Your order", expect.stringContaining("> Your order")],
    ["AW: Your order", "AW: Your order", expect.stringContaining("> Your order")],
    ["Your order\r\nReferences: <1@acme.example>", "Your order", expect.stringContaining("> Your order")],
    ["Fwd: Your order", "> Your order", null],
    ["A question", "> Your order", null],
  ])("%s without words has the text that its author meant", async (subject, text, quoted) => {
    const lines = ["", "> Your order", "> Acme"];
    expect(await stored(mail("From: anna@example.com", `Subject: ${subject}`, ...lines))).toMatchObject({
      text: expect.stringContaining(text),
      quoted,
    });
  });

  test.each(["\ufeff", "\r\n\r\n", "\ufeff\n"])("%j above the header is skipped", async (start) => {
    const message = await stored(start + mail("From: anna@example.com", "Subject: Hi", "", "Hello"));
    expect(message).toMatchObject({ subject: "Hi", text: "Hello" });
  });

  test("rules, templates and models know the subject", async () => {
    const send = (subject: string) => ({
      ...decisionInput(),
      situation: { type: "message.received", data: {} },
      message: { text: "Please, see above.", subject, sequence: 1 },
    });
    const configuration = await compile({
      format: 1,
      templates: { canceled: "{{ message.subject }}: done" },
      rules: [
        {
          id: "cancel",
          on: "message.received",
          when: ['message.subject.contains("4711")'],
          do: [{ send: "canceled" }],
        },
      ],
    });
    expect(evaluate(configuration, send("Cancel 4711")).effects).toMatchObject([
      { text: "Cancel 4711: done" },
    ]);
    expect(evaluate(configuration, send("")).effects).toEqual([]);
  });

  test.each([
    ["a short ID", "<5678@mail.example.com>"],
    ["a long ID", `<${"5".repeat(300)}@mail.example.com>`],
    ["an empty ID", ""],
    ["an ID of nothing", "<>"],
  ])("%s identifies an e-mail only together with its sender", async (_, id) => {
    const from = (address: string) => mail(`From: ${address}`, `Message-ID: ${id}`, "", "Hi");
    const signing = { at: new Date(), ...(id.length < 3 && { id: `msg_${id.length}` }) };
    const { id: first } = (await sender.mail(from("anna@example.com"), signing)).body;
    const other = await sender.mail(from("eve@example.com"), signing);
    expect(other).toMatchObject({ status: 202 });
    expect(other.body.id).not.toBe(first);
    const repeat = await sender.mail(from("Anna@example.com"), signing);
    expect(repeat).toMatchObject({ status: 200, body: { id: first } });
    const json = await sender.message({ id: id || "msg_0", from: "anna@example.com", text: "Hi" });
    expect(json.status).toBe(id.length > 200 ? 400 : 202);
  });

  const HTML = ["Content-Type: text/html", ""];
  const documentOf = (body: string) =>
    `<!DOCTYPE html><html><head><title>x</title><xml>x</xml></head><body dir="auto">${body}</body></html>`;
  test.each<[string, string[], string]>([
    [
      "quoted-printable in Latin-1",
      [
        ...["Content-Type: text/plain; charset=iso-8859-1", "Content-Transfer-Encoding: quoted-printable"],
        ...["", "Gr=FC=DFe aus Z=\r\n=FCrich"],
      ],
      "Grüße aus Zürich",
    ],
    [
      "base64 in UTF-8",
      [
        ...["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"],
        ...["", Buffer.from("Straße 📦").toString("base64")],
      ],
      "Straße 📦",
    ],
    [
      "Japanese",
      ["Content-Type: text/plain; charset=iso-2022-jp", "", "\x1b$B$3$s$K$A$O\x1b(B"],
      "こんにちは",
    ],
    ["an unknown charset", ["Content-Type: text/plain; charset=klingon", "", "Hello"], "Hello"],
    [
      "HTML alone",
      [...HTML, "<style>p{color:red}</style><p>Hello <b>you</b> &amp; me</p><script>alert(1)</script>"],
      "Hello you & me",
    ],
    [
      "both forms",
      [
        ...[
          "Content-Type: multipart/alternative; boundary=b",
          "",
          "--b",
          "Content-Type: text/plain",
          "",
          "plain",
        ],
        ...["--b", "Content-Type: text/html", "", "<p>rich</p>", "--b--"],
      ],
      "plain",
    ],
    [
      "HTML on both sides of an image",
      [
        "Content-Type: multipart/mixed; boundary=b",
        ...["", "--b", ...HTML, documentOf("<div>Please cancel order 4711</div>")],
        ...["--b", "Content-Type: image/png", "Content-Transfer-Encoding: base64", "", "AAAA"],
        ...["--b", ...HTML, documentOf("<div>and write to me &lt;soon</div>"), "--b--"],
      ],
      "Please cancel order 4711\n\nand write to me <soon",
    ],
    [
      "HTML with a server's disclaimer",
      [...HTML, `${documentOf("price < 5")}${documentOf("<p>Confidential</p>")}`, "and a footer"],
      "price < 5\n\nConfidential\n\nand a footer",
    ],
    ...["<xml:namespace ns='urn'/>", "<xml/>", "<xml id=a>", "</xml>"].map(
      (tag): [string, string[], string] => [
        `HTML with ${tag}`,
        [...HTML, `<xml>x</xml><p>Hello</p>${tag}<p>World</p>`],
        "Hello\n\nWorld",
      ],
    ),
    [
      "HTML with a quotation",
      [
        ...HTML,
        "<div>Thanks!</div><div>On 21 Nov 2026, Acme wrote:<blockquote><p>Your order</p></blockquote></div>",
      ],
      "Thanks!",
    ],
    [
      "a flowed text",
      ["Content-Type: text/plain; format=flowed", "", "One ", "line. ", "", "Two ", "-- ", "Anna"],
      "One line.\n\nTwo",
    ],
    [
      "a flowed text between quoted lines that end with spaces",
      [
        "Content-Type: text/plain; format=flowed",
        "",
        ...["Hi, ", "> Which size?", "> ", "M please.", "", "> Colour ", "> and form? ", "> ", "", "Blue."],
      ],
      "Hi,\nM please.\n\n\nBlue.",
    ],
    ["NUL", ["", "a\0b"], "a\ufffdb"],
    ["only its subject", ["", ""], "A question"],
    [
      "a boundary that never ends",
      ["Content-Type: multipart/mixed; boundary=b", "", "--b", "", "text"],
      "text",
    ],
  ])("%s becomes text", async (_, lines, text) => {
    expect((await stored(mail(...PLAIN, ...lines))).text).toBe(text);
  });

  const GRUESSE = "Grüße";
  const LATIN = Buffer.from(GRUESSE, "latin1");
  const CYRILLIC = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
  test.each<[string, string, Buffer, string]>([
    ["UTF-8 without a charset", "text/plain", Buffer.from(GRUESSE), GRUESSE],
    ["Latin-1 without a charset", "text/plain", LATIN, GRUESSE],
    ["Latin-1 as UTF-8", "text/plain; charset=utf-8", LATIN, GRUESSE],
    ["Latin-1 as ASCII", "text/plain; charset=us-ascii", LATIN, GRUESSE],
    ["UTF-8 as Latin-1", "text/plain; charset=iso-8859-1", Buffer.from(GRUESSE), GRUESSE],
    ["UTF-8 as ASCII", "text/plain; charset=us-ascii", Buffer.from(GRUESSE), GRUESSE],
    [
      "UTF-8 with one wrong byte",
      "text/plain",
      Buffer.concat([Buffer.from(GRUESSE), LATIN.subarray(2, 3)]),
      `${GRUESSE}\ufffd`,
    ],
    ["windows-1251", "text/plain; charset=windows-1251", CYRILLIC, "Привет"],
    ["UTF-7", "text/plain; charset=UTF-7", Buffer.from("Viele Gr+APwA3w-e"), "Viele Grüße"],
    [
      "a code page of DOS",
      "text/plain; charset=cp850",
      Buffer.from("Viele Gr\x81\xe1e", "latin1"),
      "Viele Grüße",
    ],
    [
      "a code page of IBM",
      'text/html; charset="IBM437"',
      Buffer.from("Viele Gr\x81\xe1e", "latin1"),
      "Viele Grüße",
    ],
    [
      "HTML that names its charset",
      "text/html",
      Buffer.concat([Buffer.from('<meta charset="windows-1251">'), CYRILLIC]),
      "Привет",
    ],
    [
      "HTML whose charset is that of the mail",
      "text/html; charset=windows-1251",
      Buffer.concat([Buffer.from("<meta charset=utf-8>"), CYRILLIC]),
      "Привет",
    ],
    [
      "HTML that names Japanese",
      "text/html",
      Buffer.from(
        "<meta http-equiv=Content-Type content='text/html; charset=iso-2022-jp'>\x1b$B$3$s$K$A$O\x1b(B",
      ),
      "こんにちは",
    ],
    ["HTML that names UTF-16", "text/html", Buffer.from("<meta charset=utf-16>Hello"), "Hello"],
  ])("%s is decoded", async (_, type, bytes, text) => {
    const head = mail(...PLAIN, `Content-Type: ${type}`, "Content-Transfer-Encoding: base64", "", "");
    expect((await stored(`${head}${bytes.toString("base64")}`)).text).toBe(text);
  });

  test("attachments are not kept, and the message says so", async () => {
    const part = (name: string, size: number) => [
      "--b",
      `Content-Type: application/pdf; name="${name}"`,
      "Content-Transfer-Encoding: base64",
      `Content-Disposition: attachment; filename="${name}"`,
      "",
      Buffer.alloc(size).toString("base64").replace(/.{76}/g, "$&\r\n"),
    ];
    const message = await stored(
      mail(
        ...PLAIN,
        ...["Content-Type: multipart/mixed; boundary=b", "", "--b", "", "See below"],
        ...part("a.pdf", 70_000),
        ...part("b.pdf", 10),
        "--b--",
      ),
    );
    expect(message).toMatchObject({ text: "See below", omitted: "2 attachments (a.pdf, b.pdf)" });
    expect(message.answer.omitted).toBe("2 attachments (a.pdf, b.pdf)");
  });

  test("a long text is cut, and the message says so", async () => {
    const message = await stored(mail(...PLAIN, "", "x".repeat(990).concat("\r\n").repeat(20)));
    expect(message.text).toHaveLength(10_000);
    expect(message.omitted).toBe("the text after 10,000 characters");
  });

  test.each<[string, string]>([
    ["no sender", mail("Subject: Hi", "", "Hi")],
    ["a sender that is not an address", mail("From: Anna", "", "Hi")],
    ["a sender without a domain", mail("From: anna@", "", "Hi")],
    ["a million headers", mail("From: anna@example.com", "X: x\r\n".repeat(600_000), "Hi")],
    ["two senders", mail("From: anna@example.com", "From: eve@example.com", "", "Hi")],
    [
      "two senders and Sender",
      mail("From: anna@example.com", "From: eve@example.com", "Sender: eve@example.com", "", "Hi"),
    ],
    ["words around a sign", mail("From: Anna @ Acme", "", "Hi")],
    ["an address within quotation marks", mail('From: "anna@example.com" <anna@[192.0.2.1]>', "", "Hi")],
    ["an encoded sender", mail("From: =?utf-8?q?=3Canna=40example.com=3E?=", "", "Hi")],
    ["a sender that is too long", mail(`From: ${'"\\"'.repeat(700)} <anna@example.com>`, "", "Hi")],
    ["nothing", ""],
  ])("an e-mail with %s is rejected", async (_, raw) => {
    const reply = await sender.mail(raw);
    expect(reply).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test("an e-mail of more than 10 MB is rejected before it is read", async () => {
    const reply = await sender.mail(mail(...PLAIN, "", "x".repeat(10 * 1_048_576)));
    expect(reply).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });

  test.each([
    ["Doe, John <doe1@example.com>", "Doe, John", "doe1@example.com"],
    ['"Doe, <John>" <doe2@example.com>', "Doe, <John>", "doe2@example.com"],
    ["=?utf-8?q?D=C3=B6=2C_John?= <doe3@example.com>", "Dö, John", "doe3@example.com"],
    ["eve@example.com <doe4@example.com>", "eve@example.com", "doe4@example.com"],
    ["doe5@example.com (John)", "John", "doe5@example.com"],
    ["<doe6@example.com>", null, "doe6@example.com"],
    ["<<doe7@example.com>>", null, "doe7@example.com"],
    ["Nina <doe8@example.com.>", "Nina", "doe8@example.com"],
    ["root@localhost", null, "root@localhost"],
    ["Cron <root@localhost.localdomain>", "Cron", "root@localhost.localdomain"],
    ["user@my_host.example.com", null, "user@my_host.example.com"],
    ["do..e9.@example.com", null, "do..e9.@example.com"],
    ["a@example.com, b@example.com\r\nSender: Doe <doe10@example.com>", "Doe", "doe10@example.com"],
    ["<a@example.com> <b@example.com>\r\nSender: doe11@example.com", null, "doe11@example.com"],
    ["doe12@example.com\r\nSender: list@example.com", null, "doe12@example.com"],
    ["\r\nSender: doe13@example.com", null, "doe13@example.com"],
    ["doe15@example.com, Eve <eve@example.com>", null, "doe15@example.com"],
    ["A: doe16@example.com, eve@example.com;", null, "doe16@example.com"],
    ["<doe17@example.com> <eve@example.com>", null, "doe17@example.com"],
    ["doe18@example.com, b@example.com\r\nSender: a@example.com, b@example.com", null, "doe18@example.com"],
    ["Bank\r\nSender: doe19@example.com", null, "doe19@example.com"],
    ["doe20@example.com\r\nFrom: doe20@example.com", null, "doe20@example.com"],
    ["Bank\r\nReturn-Path: <doe21@example.com>", null, "doe21@example.com"],
    ["anna@\r\nReturn-Path: <doe22@example.com>", null, "doe22@example.com"],
    ["doe23(John (II))@example.com", null, "doe23@example.com"],
    ["Doe <doe24(folded\r\n comment)@example(host). com>", null, "doe24@example.com"],
    ['"doe 25"@example.com', null, '"doe 25"@example.com'],
    ["Doe <@relay.example,@b.example:doe26@example.com>", null, "doe26@example.com"],
    ["Doe <doe27 @ example.com>", null, "doe27@example.com"],
    ["'o'doe28@example.com'", null, "o'doe28@example.com"],
    ["Doe [mailto:doe29@example.com]", null, "doe29@example.com"],
    ["Doe <doe30@example.com<mailto:doe30@example.com>>", null, "doe30@example.com"],
    ['"eve@example.com" <doe31(x)@example.com>', null, "doe31@example.com"],
    [
      "=?utf-8?B?2LnZhNuM4oCM2LHYttinIPCfkajigI3wn5Gp4oCN8J+Rpw==?= <doe32@example.com>",
      "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627 👨\u200d👩\u200d👧",
      "doe32@example.com",
    ],
  ])("the sender %s has one address", async (from, name, address) => {
    const { answer } = await stored(mail(`From: ${from}`, "", "Hi"));
    const { body: contact } = await gateway.rest("GET", `/agent/contacts/${answer.contactId}`);
    expect(contact).toMatchObject({ addresses: [{ address }] });
    expect(contact.name ?? null).toBe(name);
  });

  const LIST = "List-ID: Help <help.list.example>\r\nX-Original-Sender: ";
  test.each<[string, string, string]>([
    ["form@acme.example", "Reply-To: Eve <form1@example.com>", "form1@example.com"],
    ["support@acme.example", "Reply-To: form2@example.com", "form2@example.com"],
    ["Eve via Help <help@list.example>", `${LIST}form3@example.com`, "form3@example.com"],
    [
      "Help <help@list.example>",
      "List-ID: <help.list.example>\r\nReply-To: form4@example.com",
      "form4@example.com",
    ],
    ["form5@example.com", "Reply-To: eve@example.com", "form5@example.com"],
    ["form6@list.example", `${LIST}eve@example.com`, "form6@list.example"],
    ["form7@acme.example", "Reply-To: support@acme.example", "form7@acme.example"],
    ["form8@acme.example", "Reply-To: a@example.com, b@example.com", "form8@acme.example"],
    ["form9@acme.example", "Reply-To: Eve", "form9@acme.example"],
    ["form10@acme.example", "Reply-To: known@example.com", "form10@acme.example"],
    ["help@list.example", `${LIST}known@example.com`, "help@list.example"],
  ])("an e-mail from %s with %s belongs to %s", async (from, header, address) => {
    await stored(mail("From: known@example.com", "", "Hi"));
    const raw = mail(`From: ${from}`, header, `Message-ID: <${address}>`, "", "Hi");
    const { answer } = await stored(raw);
    const { body: contact } = await gateway.rest("GET", `/agent/contacts/${answer.contactId}`);
    expect(contact).toMatchObject({ addresses: [{ address }] });
    expect(await sender.mail(raw)).toMatchObject({ status: 200, body: { id: answer.id } });
  });

  test.each<[string, string, boolean]>([
    ["List-ID: Help <help.list.example>", "Precedence: list", true],
    ["List-ID: <other.list.example>\r\nList-Post: <mailto:Help@list.example>", "X-Loop: 1", true],
    ["List-ID: Help <help.list.example>", "Auto-Submitted: auto-replied", false],
    ["List-ID: <other.list.example>", "Precedence: list", false],
  ])(
    "through its line's mailing list, an e-mail with %s and %s is from a person: %s",
    async (list, header, isPerson) => {
      const email = { from: "support@acme.example", listAddress: "Help@list.example" };
      const listed = await addMailSender(gateway, agentId, email);
      const { body } = await listed.mail(mail("From: eve@example.com", list, header, "", "Hello"));
      expect(typeof body.decisionId).toBe(isPerson ? "string" : "undefined");
    },
  );

  test("an e-mail whose lines end with only CR is read", async () => {
    const { body, status } = await sender.mail("From: cr@example.com\rSubject: Old\r\rHello");
    expect([status, typeof body.id]).toEqual([202, "string"]);
  });

  test("e-mails from a program with a constant Message-ID differ by their date, or else by their text", async () => {
    const mailOf = (text: string, ...date: string[]) =>
      mail(...PLAIN, "Message-ID: <1@form.example>", ...date, "", text);
    const mails = [
      mailOf("one", "Date: Sat, 21 Nov 2026 07:36:59 +0100"),
      mailOf("one", "Date: Sat, 21 Nov 2026 07:37:00 +0100"),
      mailOf("one"),
      mailOf("two"),
    ];
    const ids = new Map<string, string>();
    for (const each of mails) ids.set(each, (await stored(each)).answer.id);
    expect(new Set(ids.values()).size).toBe(mails.length);
    for (const [each, id] of ids)
      expect(await sender.mail(each)).toMatchObject({ status: 200, body: { id } });
  });

  test("an e-mail with only a Sender header is from that sender", async () => {
    const { answer } = await stored(mail("Sender: Doe <doe14@example.com>", "", "Hi"));
    const { body: contact } = await gateway.rest("GET", `/agent/contacts/${answer.contactId}`);
    expect(contact).toMatchObject({ name: "Doe", addresses: [{ address: "doe14@example.com" }] });
  });

  test.each([
    ["From: MAILER-DAEMON <>"],
    ["From: <MAILER-DAEMON>"],
    ["From: Mail Delivery System <>"],
    ["From: postmaster"],
    ["From: Backup", "Auto-Submitted: auto-generated"],
    ["Return-Path: <>"],
    ["From: MAILER-DAEMON@mail.example.com"],
    ["From: Mail Delivery Subsystem <MAILER-DAEMON>"],
    ["From: Mailer Daemon <poostmaster@mail.example.com>"],
    ["From: post_master@carrier.example"],
    ["From: Mail <mail.example.com postmaster@mail.example.com>"],
    ["From: Mail server <postmaster@mail.example.com>"],
    ["From: robot@example.com", 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"'],
  ])("a mail server's report is accepted but not kept: %s", async (...headers) => {
    const messages = () => gateway.services.database.read((reader) => reader.count(Message));
    const before = await messages();
    const reply = await sender.mail(mail(...headers, "Subject: Undelivered mail", "", "No such user"));
    expect(reply).toMatchObject({ status: 204, text: "" });
    expect(await messages()).toBe(before);
  });

  test("endless bodies from strangers take no memory from the line's sender", async () => {
    const size = 8 * 1_048_576;
    const strangers = Array.from({ length: 3 }, () =>
      sendUnsigned(gateway.url, sender.lineId, "192.0.2.1", size),
    );
    try {
      // The connections that are not rejected hold more than half of a sender's share.
      await Promise.any(strangers.map(({ until }) => until("HTTP/1.1 503 ")));
      await stored(mail(...PLAIN, "", "x".repeat(size)));
    } finally {
      for (const { socket } of strangers) socket.destroy();
    }
  });

  test.each([
    "Auto-Submitted: auto-replied (vacation)",
    "AUTO-SUBMITTED: Auto-Generated",
    "Auto-Submitted: no\r\nAuto-Submitted: auto-replied",
    "Precedence: bulk",
    "Precedence: auto_reply",
    "X-Autoreply: yes",
    "X-Autorespond: I am away",
    "Return-Path: < >",
    "List-Id: <news.example.com>",
    "Return-Path: <>",
    "From: support@acme.example",
  ])("a program is not answered: %s", async (header) => {
    const headers = header.startsWith("From") ? [header] : ["From: Robot <robot@example.com>", header];
    const message = await stored(mail(...headers, "", "I am away"));
    expect(message.decisionId).toBeNull();
  });

  test.each([
    "Auto-Submitted: no",
    "Auto-Submitted: No (a person; really)",
    "Auto-Submitted:",
    "X-Autoreply: no",
    "X-Auto-Response-Suppress: All",
    "Return-Path: <anna@example.com>",
    "Precedence: first-class",
  ])("a person is answered: %s", async (header) => {
    const message = await stored(mail(...PLAIN, header, "", "Hello"));
    const decision = await gateway.services.database.read((reader) =>
      reader.findOneByOrFail(Decision, { id: message.decisionId ?? "" }),
    );
    expect(decision.situation.data.messageIds).toContain(message.id);
  });

  test.each([
    ["only the subject", ["Subject: unsubscribe", "", ""]],
    ["the subject above a signature", ["Subject: unsubscribe", "", "-- ", "Bob"]],
    [
      "a word above the quoted mail",
      ["Subject: Re: News", "", "Stop.", "", "On 21 Nov 2026, Acme wrote:", "> Hello Bob"],
    ],
  ])("unsubscribing works with %s", async (where, lines) => {
    const from = `From: ${where.replaceAll(" ", "-")}@example.com`;
    const { answer } = await stored(mail(from, ...lines));
    const { body: contact } = await gateway.rest("GET", `/agent/contacts/${answer.contactId}`);
    expect(contact.addresses[0].optedOutAt).toEqual(expect.any(String));
  });

  test("an e-mail line also accepts JSON, and other lines accept no e-mail", async () => {
    expect(await sender.text("carol@example.com", "Hi")).toMatchObject({ status: 202 });
    const local = await addSender(gateway, { agentId });
    expect(await local.mail(mail(...PLAIN, "", "Hi"))).toMatchObject({
      status: 400,
      body: { code: "invalid_content_type" },
    });
    const receipt = await sender.receipt(mail(...PLAIN, "", "Hi"), { contentType: "message/rfc822" });
    expect(receipt).toMatchObject({ status: 400, body: { code: "invalid_content_type" } });
  });
});
