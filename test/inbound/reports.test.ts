import { v7 as uuid } from "uuid";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { PutContactInput } from "../../src/features/contacts/put-contact.inputs";
import { Event as StoredEvent } from "../../src/features/events/event.entity";
import { readMail } from "../../src/features/inbound/mail";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { addMailSender, type Sender } from "../support/inbound";
import { addLine, addWebhookLine } from "../support/lines";
import { MailServer, rejection } from "../support/mail-server";
import { firstAgentId, operatorOfAgent } from "../support/people";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const TO = "ada@customer.test";

/** The format of a mail server's reports: header, fields and original. */
interface Form {
  headers?: string[];
  /** Returns the fields about the recipient, for a status and a reply. */
  fields?: (status: string, reply: string) => string[];
  /** The type and encoding of the part with the original, and the header with its ID. */
  original?: string;
  isEncoded?: true;
  idHeader?: (id: string) => string[];
  /** True if the report names the original only in `References`. */
  hasNoOriginal?: true;
  /** Parts before the machine-readable report. */
  before?: string[];
  newline?: string;
}

const fields = (status: string, reply: string) => [
  `Final-Recipient: rfc822; ${TO}`,
  "Action: failed",
  `Status: ${status}`,
  `Diagnostic-Code: smtp; ${reply}`,
];

const SERVERS: Record<string, Form> = {
  Postfix: {
    headers: ["Subject: Undelivered Mail Returned to Sender", "Auto-Submitted: auto-replied"],
    fields: (status, reply) => [`Original-Recipient: rfc822;${TO}`, ...fields(status, reply)],
  },
  // Exim reports the true status only in the quoted reply.
  Exim: {
    headers: [
      "X-Failed-Recipients: ada@customer.test",
      "Subject: Mail delivery failed: returning message to sender",
    ],
    fields: (_, reply) => [
      "Action: failed",
      `Final-Recipient: rfc822;${TO}`,
      "Status: 5.0.0",
      `Diagnostic-Code: smtp; ${reply}`,
    ],
  },
  Sendmail: {
    headers: ["Subject: Returned mail: see transcript for details"],
    fields: (status, reply) => [...fields(status, reply), "Last-Attempt-Date: Fri, 27 Nov 2026 10:00:00 GMT"],
    original: "text/rfc822-headers",
  },
  Exchange: {
    headers: ["From: Microsoft Outlook <postmaster@customer.test>", "Subject: Undeliverable: News"],
    fields: (status, reply) => [
      `Final-recipient: RFC822; ${TO}`,
      "Action: failed",
      `Status: ${status}`,
      `Diagnostic-code: smtp;${reply} RESOLVER.ADR.RecipNotFound`,
    ],
    before: ["Content-Type: text/html; charset=us-ascii", "", "<p>Your message wasn't delivered.</p>"],
  },
  "Office 365": {
    headers: ["From: <postmaster@customer.onmicrosoft.com>", "Subject: =?utf-8?B?VW56dXN0ZWxsYmFy?="],
    fields: (status, reply) => [
      `Final-Recipient: rfc822;${TO}`,
      "Action: failed",
      `Status: ${status}`,
      `Diagnostic-Code: smtp;${reply}\r\n [AM7EUR03FT012.eop-EUR03.prod.protection.outlook.com]`,
    ],
    idHeader: (id) => ["Message-ID:", ` ${id}`],
  },
  Gmail: {
    headers: [
      "From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
      "Subject: Delivery Status Notification (Failure)",
    ],
    fields: (status, reply) => [
      `Final-Recipient: rfc822; ${TO}`,
      "Action: failed",
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${reply.replace(" ", "-")} The email account that you tried to reach\r\n ${reply}`,
    ],
  },
  "Amazon SES": {
    headers: [
      "From: MAILER-DAEMON@eu-west-1.amazonses.com",
      "Subject: Delivery Status Notification (Failure)",
    ],
    fields: (status, reply) => [
      "Action: failed",
      `Final-Recipient: rfc822; ${TO}`,
      `Diagnostic-Code: smtp; ${reply}`,
      `Status: ${status}`,
    ],
  },
  PowerMTA: {
    headers: ["Subject: Delivery report"],
    fields: (status, reply) => [
      `Original-Recipient: rfc822;${TO}`,
      `Final-Recipient: rfc822;${TO}`,
      "Action: failed",
      `Status: ${status} (bad destination mailbox address)`,
      `Diagnostic-Code: smtp;${reply}`,
      "X-PowerMTA-BounceCategory: bad-mailbox",
    ],
    original: "text/rfc822-headers",
    isEncoded: true,
  },
  Courier: {
    headers: ['From: "Courier mail server at mx.test" <@>', "Subject: NOTICE: mail delivery status."],
    newline: "\n",
    idHeader: (id) => [`Message-Id: ${id}`],
  },
  Domino: {
    headers: ["Subject: DELIVERY FAILURE: User ada (ada@customer.test) not listed in Domino Directory"],
    fields: (status, reply) => [
      `FINAL-RECIPIENT: rfc822;${TO}`,
      "ACTION: failed",
      `STATUS: ${status}`,
      `DIAGNOSTIC-CODE: X-Notes; ${reply}`,
    ],
    idHeader: (id) => [`MESSAGE-ID: ${id}`],
  },
  OpenSMTPD: { headers: ["Subject: Delivery status notification: error"], hasNoOriginal: true },
  "Apache James": {
    headers: ["Subject: Error delivering mail"],
    fields: (status, reply) => [...fields(status, reply), "", ""],
    original: "message/rfc822-headers",
  },
};

/** The status and the reply of failed e-mails; true if the address is undeliverable. */
const REASONS: [status: string, reply: string, isUndeliverable: boolean][] = [
  ["5.1.1", "550 5.1.1 User unknown", true],
  ["5.2.1", "550 5.2.1 The email account is disabled", true],
  ["5.7.1", "550 5.7.1 Message rejected due to content", false],
  ["5.2.2", "552 5.2.2 Mailbox full", false],
  ["4.4.7", "421 4.4.7 Delivery time expired", false],
  ["5.1.0", "550 5.1.0 Sender rejected", false],
  ["5.1.1", "550 5.7.1 Blocked by the recipient", false],
];

/** Returns a report about an e-mail, by default in Postfix's format. */
function reportOn(
  messageId: string,
  [status, reply]: readonly [string, string, ...unknown[]],
  {
    headers = [],
    original = "message/rfc822",
    isEncoded,
    hasNoOriginal,
    before = [],
    newline = "\r\n",
    ...form
  }: Form,
): string {
  const idHeader = form.idHeader?.(messageId) ?? [`Message-ID: ${messageId}`];
  const from = ["Received: from x by y", "From: Acme <support@acme.example>"];
  const content = [...from, ...idHeader, `To: ${TO}`, "", "Hello"].join("\r\n");
  const part = (...lines: string[]) => ["--b", ...lines];
  return [
    ...(headers.some((each) => each.startsWith("From:"))
      ? []
      : ["From: MAILER-DAEMON@mx.test (Mail Delivery System)"]),
    ...headers,
    "Message-ID: <20261127100000.1@mx.test>",
    ...(hasNoOriginal ? [`References: <older@acme.example> ${messageId}`] : []),
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    ...part("", `I could not deliver your mail to ${TO}.`),
    ...(before.length > 0 ? part(...before) : []),
    ...part(
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; mx.test",
      "",
      ...(form.fields ?? fields)(status, reply),
    ),
    ...(hasNoOriginal
      ? []
      : isEncoded
        ? part(
            `Content-Type: ${original}`,
            "Content-Transfer-Encoding: base64",
            "",
            Buffer.from(content).toString("base64"),
          )
        : part(`Content-Type: ${original}`, "", content)),
    "--b--",
    "",
  ]
    .join("\r\n")
    .replaceAll("\r\n", newline);
}

const LINE = { id: "1", organizationId: "one", lineId: "one" };
const read = (raw: string) => readMail([Buffer.from(raw)], LINE);
const FOREIGN = { providerId: "1.2@acme.example" };

describe.each(Object.entries(SERVERS))("a report of %s", (_, form) => {
  test("names the message that failed, and says whether its address exists", async () => {
    for (const reason of REASONS) {
      const id = uuid();
      const [, , isUndeliverable] = reason;
      expect([reason, await read(reportOn(`<${id}@acme.example>`, reason, form))]).toEqual([
        reason,
        {
          report: {
            failure: expect.objectContaining({ message: { id }, status: "failed", isUndeliverable }),
          },
        },
      ]);
    }
    // About an e-mail of another sender, or an e-mail whose ID the line's server replaced.
    const foreign = reportOn("<1.2@acme.example>", REASONS[0] as never, form);
    expect(await read(foreign)).toMatchObject({ report: { failure: { message: FOREIGN } } });
  });
});

/** Reports in prose: the headers and the text above the returned e-mail; true if the address is undeliverable. */
const IN_WORDS: Record<string, [headers: string[], words: string[], isUndeliverable: boolean]> = {
  qmail: [
    ["From: MAILER-DAEMON@mx.test", "Subject: failure notice"],
    [
      "Hi. This is the qmail-send program at mx.test.",
      `<${TO}>:`,
      "Sorry, no mailbox here by that name. (#5.1.1)",
      "--- Below this line is a copy of the message.",
      "",
      "Return-Path: <support@acme.example>",
    ],
    true,
  ],
  Exim: [
    ["From: Mail Delivery System <Mailer-Daemon@mx.test>", "Subject: Mail delivery failed"],
    [
      `  ${TO}`,
      "    host mx.test [192.0.2.1]: 550 5.1.1 No such user",
      "",
      "------ This is a copy of the message, including all the headers. ------",
      "",
    ],
    true,
  ],
  "Exim without a status code": [
    ["From: Mail Delivery System <Mailer-Daemon@mx.test>", "Subject: Mail delivery failed"],
    [`  ${TO}`, "    Unrouteable address", ""],
    false,
  ],
  Exchange: [
    ["From: System Administrator <postmaster@mx.test>", "Subject: Undeliverable: News"],
    [
      "Your message",
      "",
      "  To:      Ada",
      "  Subject: News",
      "",
      "did not reach the following recipient(s):",
      "",
    ],
    false,
  ],
  Postfix: [
    ["From: MAILER-DAEMON@mx.test (Mail Delivery System)", "Subject: Undelivered Mail Returned to Sender"],
    [`<${TO}>: host mx.test[192.0.2.1] said: 554 5.7.1`, "    Message rejected", ""],
    false,
  ],
  "a server that reports fields as text": [
    ["From: MAILER-DAEMON@mx.test", "Subject: Delivery Status Notification"],
    ["Technical report:", "", "Action: failed", "Status: 5.1.1", "Diagnostic-Code: smtp; 550 5.1.1", ""],
    true,
  ],
  "a carrier": [
    ["Return-Path: <>", "From: Notices <notices@carrier.example>", "Subject: Undeliverable Message"],
    ["Message could not be delivered to mobile.", ""],
    false,
  ],
};

/** E-mails that do not report a failure. */
const NO_FAILURE: Record<string, [headers: string[], words: string[]]> = {
  "a delay of Exim": [
    ["From: Mail Delivery System <Mailer-Daemon@mx.test>", "Subject: Warning: message delayed 24 hours"],
    ["has not yet been delivered", "550 5.1.1 is not the problem", ""],
  ],
  "a delay of Gmail": [
    ["From: mailer-daemon@mx.test", "Subject: Delivery Status Notification (Delay)"],
    ["Delivery failed so far.", "You do not need to resend your message.", ""],
  ],
  "a postmaster who writes": [
    ["From: postmaster@mx.test", "Subject: Re: News"],
    ["Thanks.", ""],
  ],
};

describe("a report in prose", () => {
  const inWords = (headers: string[], words: string[], id: string, isAttached: boolean) => {
    const original = ["Received: from x by y", `Message-ID: <${id}@acme.example>`, `To: ${TO}`, "", "Hello"];
    if (!isAttached) return [...headers, "", ...words, ...original].join("\r\n");
    return [
      ...headers,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...["--b", "", ...words, "--b", "Content-Type: message/rfc822", "", ...original, "--b--"],
    ].join("\r\n");
  };

  test.each(Object.entries(IN_WORDS))("of %s names the message that failed", async (_, parts) => {
    const [headers, words, isUndeliverable] = parts;
    for (const isAttached of [false, true]) {
      const id = uuid();
      const failure = { message: { id }, status: "failed", isUndeliverable };
      expect(await read(inWords(headers, words, id, isAttached))).toMatchObject({ report: { failure } });
      // About an e-mail of another sender, or an e-mail whose ID the line's server replaced.
      const foreign = await read(inWords(headers, words, "1.2", isAttached));
      expect(foreign).toMatchObject(
        "report" in foreign ? { report: { failure: { message: FOREIGN } } } : { isAutomatic: true },
      );
    }
  });

  test.each(Object.entries(NO_FAILURE))("is not %s", async (_, [headers, words]) => {
    for (const isAttached of [false, true])
      expect(await read(inWords(headers, words, uuid(), isAttached))).toEqual({ report: undefined });
  });

  test.each([
    ["From: Ada <ada@customer.test>", "Subject: Fwd: Undelivered Mail"],
    ["Auto-Submitted: auto-replied", "From: Ada <ada@customer.test>", "Subject: Away until Monday"],
    ["Return-Path: <>", "Auto-Submitted: auto-replied (vacation)", "From: Ada <ada@customer.test>"],
  ])("is not an e-mail from a person who quotes one of ours: %s", async (...headers) => {
    const words = ["I am unable to read my mail. 550 5.1.1 failed", "", "----- Original Message -----", ""];
    for (const isAttached of [false, true])
      expect(await read(inWords(headers, words, uuid(), isAttached))).toMatchObject({
        from: "ada@customer.test",
      });
  });
});

const complaint = (messageId: string, type = "abuse") =>
  [
    ...["From: Feedback <fbl@provider.test>", "Subject: FW: News"],
    ...['Content-Type: multipart/report; report-type=feedback-report; boundary="b"', ""],
    ...["--b", "", "This is an email abuse report.", "--b", "Content-Type: message/feedback-report", ""],
    ...[`Feedback-Type: ${type}`, "User-Agent: SomeGenerator/1.0", "Version: 1", "--b"],
    ...["Content-Type: message/rfc822", "", "From: support@acme.example", `Message-ID: ${messageId}`, ""],
    ...["Hello", "--b--"],
  ].join("\r\n");

describeGateway({ engine: "any", env: DELIVERING }, (gateway) => {
  let server: MailServer;
  let sender: Sender;
  let agentId: string;
  let reject: Error | null = null;
  let reply: string | undefined;
  beforeAll(async () => {
    server = await MailServer.start({
      onRcptTo: (_, __, callback) => callback(reject),
      onMail: () => reply,
    });
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, {
      burstSeconds: 0,
      situations: { news: {} },
      templates: { news: "News" },
      rules: [{ id: "news", on: "news", do: [{ send: "news", line: "mail" }] }],
    });
    const email = { port: server.port, from: "support@acme.example" };
    sender = await addMailSender(gateway, agentId, email, "mail");
  });
  afterAll(() => server.close());

  const message = async (id: string) => (await gateway.rest("GET", `/messages/${id}`)).body;
  const become = (id: string, expected: object) =>
    waitUntil(async () => {
      const found = await message(id);
      return Object.entries(expected).every(([name, value]) => found[name] === value);
    });
  /** Adds a contact with a conversation for messages. */
  const correspondent = async (...others: { kind: AddressKind; address: string }[]) => {
    const address = `${uuid()}@customer.test`;
    const own = { kind: AddressKind.email, address };
    const id = await addContact(gateway, { agentId, addresses: [own, ...others] });
    const { body } = await conversationClient(gateway).open({
      contact: { address: own } as never,
      line: { name: "mail" } as never,
    });
    const conversationId = body.data.openConversation.conversation.id;
    const send = async (): Promise<string> => {
      const { body } = await gateway.rest("POST", `/agent/conversations/${conversationId}/messages`, {
        body: { message: "Hello" },
      });
      return body.id;
    };
    const contact = async () => (await gateway.rest("GET", `/agent/contacts/${id}`)).body;
    const addresses = async () => (await contact()).addresses;
    const ref = async (): Promise<string> => (await contact()).ref;
    return { id, ref, address, conversationId, send, addresses };
  };
  const [unknown, , blocked, full] = REASONS;
  const post = async (raw: string) => expect((await sender.mail(raw)).status).toBe(204);
  const reported = (id: string, reason = unknown) => reportOn(`<${id}@acme.example>`, reason as never, {});

  test("an address that does not exist gets nothing more until a member or its owner confirms it", async () => {
    const { id, address, send, addresses } = await correspondent();
    for (const reason of [blocked, full]) {
      const sent = await send();
      await become(sent, { status: "sent" });
      await post(reported(sent, reason));
      expect(await message(sent)).toMatchObject({ status: "failed", errorCode: "rejected" });
    }
    expect(await addresses()).toMatchObject([{ address }]);
    expect((await addresses())[0]).not.toHaveProperty("undeliverableAt");
    const sent = await send();
    await become(sent, { status: "sent" });
    await post(reported(uuid()));
    expect((await addresses())[0]).not.toHaveProperty("undeliverableAt");
    await post(reported(sent));
    const [{ id: addressId, undeliverableAt }] = await addresses();
    expect(undeliverableAt).toEqual(expect.any(String));
    await become(await send(), { status: "failed", errorCode: "undeliverable" });
    const decide = async () => {
      const { body } = await decisionClient(gateway).decide({ type: "news", contact: { id } });
      return body.explanation.effects[0].error?.code;
    };
    expect(await decide()).toBe("undeliverable");
    const { errors } = (
      await gateway.graphql(
        "mutation ($id: ID!, $addressId: ID!) { markAddressDeliverable(input: { id: $id, addressId: $addressId }) { id } }",
        { id, addressId },
        { token: gateway.owner },
      )
    ).body;
    expect(errors).toBeUndefined();
    // The report is about an earlier message.
    await post(reported(sent));
    expect(await decide()).toBeUndefined();
    const again = await send();
    await become(again, { status: "sent" });
    await post(reported(again));
    expect((await addresses())[0]).toHaveProperty("undeliverableAt");
    expect((await sender.mail(`From: ${address}\r\n\r\nI am here`)).status).toBe(202);
    expect((await addresses())[0]).not.toHaveProperty("undeliverableAt");
    await become(await send(), { status: "sent" });
  });

  test("a delivery report is a receipt for the message that it names, and never a contact", async () => {
    const sent = await (await correspondent()).send();
    await become(sent, { status: "sent" });
    const contacts = async () => (await gateway.rest("GET", "/agent/contacts?limit=100")).body.length;
    const before = await contacts();
    const reply = "550 5.1.1 User\r\n    unknown";
    const form: Form = { idHeader: (id) => ["Message-ID:", ` ${id}`] };
    const delay: Form["fields"] = (...reason) =>
      fields(...reason).map((each) => each.replace("failed", "delayed"));
    await post(reportOn(`<${sent}@acme.example>`, ["4.4.1", reply], { ...form, fields: delay }));
    for (const id of [`${uuid()}@acme.example`, ""]) await post(reportOn(`<${id}>`, ["5.1.1", reply], form));
    expect((await message(sent)).status).toBe("sent");
    await post(reportOn(`<${sent}@acme.example>`, ["5.1.1", reply], form));
    expect(await message(sent)).toMatchObject({
      status: "failed",
      errorCode: "rejected",
      errorText: "5.1.1, smtp; 550 5.1.1 User unknown",
    });
    expect(await contacts()).toBe(before);
  });

  test("an address that the mail server rejects as unknown counts as nonexistent", async () => {
    const { send, addresses } = await correspondent();
    reject = rejection(550, "5.1.1 User unknown");
    await become(await send(), { status: "failed", errorCode: "rejected" });
    reject = null;
    await waitUntil(async () => (await addresses())[0].undeliverableAt !== undefined);
    await become(await send(), { status: "failed", errorCode: "undeliverable" });
  });

  test("an automatic answer with a null return path is stored, and the answered message stays `sent`", async () => {
    const { address, send } = await correspondent();
    const sent = await send();
    await become(sent, { status: "sent" });
    const { status, body } = await sender.mail(
      [
        ...["Return-Path: <>", "Auto-Submitted: auto-replied", `From: Ada <${address}>`],
        ...["Subject: Automatic reply: Order 4711", `In-Reply-To: <${sent}@acme.example>`],
        ...[`References: <${sent}@acme.example>`, "", "I am unable to read my mail until Monday.", ""],
        ...["----- Original Message -----", `Message-ID: <${sent}@acme.example>`, "", "Hello"],
      ].join("\r\n"),
    );
    expect(status).toBe(202);
    expect(await message(body.id)).toMatchObject({ status: "received" });
    expect(await message(sent)).toMatchObject({ status: "sent" });
  });

  test("a bounce or a complaint may name the ID that the line's mail server gave the message", async () => {
    const { send, addresses } = await correspondent();
    const replaced = async () => {
      const providerId = `a-${uuid()}@x.prod.outlook.com`;
      reply = `2.0.0 OK <${providerId}> [Hostname=x]`;
      const id = await send();
      await become(id, { status: "sent", providerId });
      reply = undefined;
      return { id, messageId: `<${providerId}>` };
    };
    const bounced = await replaced();
    const unwanted = await replaced();
    await post(reportOn(bounced.messageId, full as never, {}));
    expect(await message(bounced.id)).toMatchObject({ status: "failed", errorCode: "rejected" });
    expect((await addresses())[0]).not.toHaveProperty("optedOutAt");
    await post(complaint(unwanted.messageId));
    expect((await addresses())[0]).toHaveProperty("optedOutAt");
    expect(await message(unwanted.id)).toMatchObject({ status: "sent" });
  });

  const mailLine = (from: string) => {
    const email = { host: "127.0.0.1", port: server.port, security: "none", from };
    return addLine(gateway, { agentId, settings: { email } } as never);
  };
  const phone = () => ({
    kind: AddressKind.phone,
    address: `+49151${String(Math.random()).slice(2, 10).padEnd(8, "0")}`,
  });
  type Correspondent = Awaited<ReturnType<typeof correspondent>>;
  const move = ({ conversationId }: Correspondent, line: { name: string }) =>
    conversationClient(gateway).move(conversationId, { line: line.name, pending: "cancel" });

  test.each<[string, boolean, () => Promise<[Correspondent, () => Promise<unknown>]>]>([
    [
      "its conversation stays, although the contact has another address",
      true,
      async () => [
        await correspondent({ kind: AddressKind.email, address: `z${uuid()}@customer.test` }),
        async () => undefined,
      ],
    ],
    [
      "its conversation moves to another e-mail line",
      true,
      async () => {
        const to = await correspondent();
        return [to, async () => move(to, await mailLine("sales@acme.example"))];
      },
    ],
    [
      "its conversation moves to a phone",
      false,
      async () => {
        const to = await correspondent(phone());
        return [to, async () => move(to, await addWebhookLine(gateway, { agentId }))];
      },
    ],
    [
      "its conversation moves to a phone and back, possibly to another address",
      false,
      async () => {
        // Sorts before the first address, so that the conversation moves back to it.
        const first = { kind: AddressKind.email, address: `!${uuid()}@customer.test` };
        const to = await correspondent(first, phone());
        const back = async () => {
          await move(to, await addWebhookLine(gateway, { agentId }));
          await move(to, { name: "mail" });
        };
        return [to, back];
      },
    ],
    [
      "its address is corrected and its conversation moves to another e-mail line",
      false,
      async () => {
        const to = await correspondent();
        const correct = async () => {
          const own = { kind: AddressKind.email, address: `${uuid()}@customer.test` };
          const [ref, context] = [await to.ref(), await operatorOfAgent(gateway, agentId)];
          for (const addresses of [null, [own]])
            await gateway.services.contacts.put(
              context,
              Object.assign(new PutContactInput(), { agentId, ref, addresses }),
            );
          await move(to, await mailLine("sales@acme.example"));
        };
        return [to, correct];
      },
    ],
  ])(
    "a report about an e-mail applies only to the address that it was sent to: %s",
    async (_, isKnown, start) => {
      const [{ address, send, addresses }, change] = await start();
      const [bounced, unwanted] = [await send(), await send()];
      for (const each of [bounced, unwanted]) await become(each, { status: "sent" });
      await change();
      await post(reported(bounced));
      expect(await message(bounced)).toMatchObject({ status: "failed", errorCode: "rejected" });
      await post(complaint(`<${unwanted}@acme.example>`));
      for (const field of ["undeliverableAt", "optedOutAt"]) {
        const marked = (await addresses()).filter((each: object) => field in each);
        expect(marked).toMatchObject(isKnown ? [{ address }] : []);
      }
    },
  );

  test("Outlook.com forwards a complaint as an attachment", async () => {
    const { send, addresses } = await correspondent();
    const sent = await send();
    await become(sent, { status: "sent" });
    const header = ["X-HmXmrOriginalRecipient: ada@outlook.com", `Message-ID: <${sent}@acme.example>`];
    const raw = (from: string) =>
      [
        ...[`From: ${from}`, "Subject: complaint about message from 192.0.2.1"],
        ...["Content-Type: multipart/mixed; boundary=b", "", "--b", "Content-Type: message/rfc822", ""],
        ...[...header, "", "Hello", "--b--"],
      ].join("\r\n");
    expect((await sender.mail(raw("eve@hotmail.com"))).status).toBe(202);
    expect((await addresses())[0]).not.toHaveProperty("optedOutAt");
    await post(raw("staff@hotmail.com"));
    expect((await addresses())[0]).toHaveProperty("optedOutAt");
  });

  test("a complaint or a read receipt whose subject contains words of a bounce does not fail the message", async () => {
    const { send, addresses } = await correspondent();
    const sent = await send();
    await become(sent, { status: "sent" });
    const about = (type: string) =>
      complaint(`<${sent}@acme.example>`, type).replace("FW: News", "Re: Login error");
    await post(about("not-spam"));
    await post(about("read").replaceAll("feedback-report", "disposition-notification"));
    expect((await addresses())[0]).not.toHaveProperty("optedOutAt");
    await post(about("abuse"));
    expect((await addresses())[0]).toHaveProperty("optedOutAt");
    expect(await message(sent)).toMatchObject({ status: "sent" });
  });

  test("a complaint about a message opts its address out, and one about no message changes nothing", async () => {
    const { id, send, addresses } = await correspondent();
    const sent = await send();
    await become(sent, { status: "sent" });
    await post(complaint(`<${uuid()}@acme.example>`));
    await post(complaint(`<${sent}@acme.example>`, "not-spam"));
    expect((await addresses())[0]).not.toHaveProperty("optedOutAt");
    for (let i = 0; i < 2; i++) await post(complaint(`<${sent}@acme.example>`));
    expect((await addresses())[0]).toHaveProperty("optedOutAt");
    expect(await message(sent)).toMatchObject({ status: "sent" });
    await become(await send(), { status: "canceled", errorCode: "opted_out" });
    const optOuts = await gateway.services.database.read((reader) =>
      reader.countBy(StoredEvent, { subject: `contact:${id}`, type: "contact.opted_out" }),
    );
    expect(optOuts).toBe(1);
  });
});
