import { Conversation } from "../../src/features/conversations/conversation.entity";
import { publish } from "../support/decisions";
import { addMailSender, type Sender } from "../support/inbound";
import { lineClient } from "../support/lines";
import { MailServer, type ReceivedMail } from "../support/mail-server";
import { firstAgentId } from "../support/people";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const CONFIGURATION = {
  burstSeconds: 0,
  situations: { "order.shipped": { orderId: "string" }, "html.wanted": {} },
  templates: {
    styled: {
      text: "Hi {{ contact.name }}",
      html: '<p title="{{ contact.name }}">Grüezi <b>{{ contact.name }}</b></p>',
    },
    answer: "{{ message.subject }}: {{ message.text }}",
    shipped: {
      text: "Order {{ situation.data.orderId }}",
      locales: {
        de: { text: "{{ situation.data.orderId }}", subject: "Bestellung {{ situation.data.orderId }}" },
      },
    },
  },
  rules: [
    { id: "answer", on: "message.received", do: [{ send: "answer" }] },
    { id: "styled", on: "html.wanted", do: [{ send: "styled", line: "mail" }] },
    { id: "shipped", on: "order.shipped", do: [{ send: "shipped", line: "mail" }] },
  ],
};

describeGateway({ engine: "any", env: DELIVERING }, (gateway) => {
  let server: MailServer;
  let sender: Sender;
  let agentId: string;
  let reply: () => string | undefined = () => undefined;
  beforeAll(async () => {
    server = await MailServer.start({ onMail: () => reply() });
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, CONFIGURATION);
    const email = { port: server.port, from: "Acme <support@acme.example>", subject: "News" };
    sender = await addMailSender(gateway, agentId, email, "mail");
  });
  afterAll(() => server.close());

  /** Submits an e-mail and returns the response. */
  const write = async (from: string, headers: string[], text = "Hello") => {
    const { status, body } = await sender.mail([`From: ${from}`, ...headers, "", text].join("\r\n"));
    expect(status).toBe(202);
    return body;
  };
  const sentTo = async (address: string, count: number): Promise<ReceivedMail> => {
    const mails = () => server.received.filter(({ to }) => to.includes(address));
    await waitUntil(() => mails().length === count);
    return mails()[count - 1] as ReceivedMail;
  };

  test("an answer continues the thread of its e-mail", async () => {
    const references = Array.from({ length: 25 }, (_, i) => `<${i}@customer.test>`);
    const first = await write("ada@customer.test", [
      "Subject: AW: VÁ: Re: Order 4711 für Zürich",
      "Message-ID: <first@customer.test>",
      `References: ${references.join("\r\n ")}`,
    ]);
    const { email } = await sentTo("ada@customer.test", 1);
    expect(email).toMatchObject({
      subject: "Re: Order 4711 für Zürich",
      inReplyTo: "<first@customer.test>",
      references: [...references.slice(-19), "<first@customer.test>"].join(" "),
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@acme\.example>$/),
      text: expect.stringContaining("AW: VÁ: Re: Order 4711 für Zürich: Hello"),
    });
    const second = await write(
      "ada@customer.test",
      ["Subject: Re: Order 4711", "Message-ID: <second@customer.test>", `In-Reply-To: ${email.messageId}`],
      "Thanks",
    );
    expect(second.conversationId).toBe(first.conversationId);
    expect((await sentTo("ada@customer.test", 2)).email).toMatchObject({
      subject: "Re: Order 4711",
      inReplyTo: "<second@customer.test>",
      references: `${email.messageId} <second@customer.test>`,
    });
  });

  test("the answer to an e-mail without a usable `Message-ID` has its subject, and names no e-mail", async () => {
    await write("lea@customer.test", ["Subject: Order 1", "Message-ID: <one@customer.test>"]);
    await sentTo("lea@customer.test", 1);
    for (const [i, header] of ["Message-ID: none", "X-Other: none"].entries()) {
      await write("lea@customer.test", [`Subject: Order 2${i}`, header]);
      const { email } = await sentTo("lea@customer.test", 2 + i);
      expect(email).toMatchObject({ subject: `Re: Order 2${i}` });
      expect(email.inReplyTo).toBeUndefined();
      expect(email.references).toBeUndefined();
    }
  });

  test("without an e-mail to answer, the first one has the line's subject, and later ones follow it", async () => {
    const addresses = [{ kind: "email", address: "bea@customer.test" }];
    await gateway.rest("POST", "/agent/contacts", { body: { ref: "bea", addresses } });
    const opened = await gateway.rest("POST", "/agent/conversations", {
      body: { contact: { ref: "bea" }, line: "mail", message: "One" },
    });
    expect(opened).toMatchObject({ status: 201 });
    const first = (await sentTo("bea@customer.test", 1)).email;
    expect(first).toMatchObject({ subject: "News" });
    expect(first.inReplyTo).toBeUndefined();
    const path = `/agent/conversations/${opened.body.conversation.id}/messages`;
    expect((await gateway.rest("POST", path, { body: { message: "Two" } })).status).toBe(201);
    expect((await sentTo("bea@customer.test", 2)).email).toMatchObject({
      subject: "News",
      inReplyTo: first.messageId,
      references: first.messageId,
    });
  });

  test("the first one has the subject of its template, and later ones continue it", async () => {
    const contact = { address: { kind: "email", address: "erna@customer.test" } };
    const put = { ref: "erna", locale: "de-CH", addresses: [contact.address] };
    await gateway.rest("POST", "/agent/contacts", { body: put });
    const decide = (orderId: string) =>
      gateway.rest("POST", "/agent/decisions", {
        body: { contact: { ref: "erna" }, situation: { type: "order.shipped", data: { orderId } } },
      });
    const { body } = await decide("A1");
    expect(body.explanation.effects).toMatchObject([{ locale: "de", subject: "Bestellung A1", text: "A1" }]);
    const first = (await sentTo("erna@customer.test", 1)).email;
    expect(first).toMatchObject({ subject: "Bestellung A1" });
    expect(first.inReplyTo).toBeUndefined();
    await decide("B2");
    expect((await sentTo("erna@customer.test", 2)).email).toMatchObject({
      subject: "Re: Bestellung A1",
      inReplyTo: first.messageId,
    });
  });

  test.each([
    ["gil", 1],
    ["hal", 150],
  ])("the first one after a move (%s, %i) answers none, and later ones continue it", async (ref, count) => {
    const addresses = [
      { kind: "email", address: `${ref}@customer.test` },
      { kind: "local", address: ref },
    ];
    await gateway.rest("POST", "/agent/contacts", { body: { ref, locale: "de", addresses } });
    const opened = await gateway.rest("POST", "/agent/conversations", {
      body: { contact: { ref }, message: "One" },
    });
    const { id } = opened.body.conversation;
    const path = `/agent/conversations/${id}`;
    await waitUntil(
      async () => (await gateway.rest("GET", `${path}/messages`)).body[0].status === "delivered",
    );
    await gateway.services.database.write((tx) => tx.update(Conversation, { id }, { lastSequence: count }));
    await gateway.rest("POST", `${path}/move`, { body: { line: "mail" } });
    const { body } = await gateway.rest("POST", "/agent/decisions", {
      body: { conversationId: id, situation: { type: "order.shipped", data: { orderId: "C3" } } },
    });
    expect(body).toMatchObject({ conversationId: id });
    const first = (await sentTo(`${ref}@customer.test`, 1)).email;
    expect(first).toMatchObject({ subject: "Bestellung C3" });
    expect(first.inReplyTo).toBeUndefined();
    await gateway.rest("POST", `${path}/messages`, { body: { message: "Two" } });
    expect((await sentTo(`${ref}@customer.test`, 2)).email).toMatchObject({
      subject: "Re: Bestellung C3",
      inReplyTo: first.messageId,
    });
  });

  test("HTML is sent with the text, stored, exported and erased", async () => {
    const name = `<img src="x" onerror='alert(1)'> & co`;
    const escaped = "&lt;img src=&quot;x&quot; onerror=&#39;alert(1)&#39;&gt; &amp; co";
    const html = `<p title="${escaped}">Grüezi <b>${escaped}</b></p>`;
    const addresses = [{ kind: "email", address: "fay@customer.test" }];
    const { body: contact } = await gateway.rest("POST", "/agent/contacts", {
      body: { ref: "fay", name, addresses },
    });
    const situation = { contact: { ref: "fay" }, situation: { type: "html.wanted", data: {} } };
    const dryRun = await gateway.rest("POST", "/agent/decisions", { body: { ...situation, dryRun: true } });
    expect(dryRun.body.explanation.effects).toMatchObject([{ html }]);
    const { body } = await gateway.rest("POST", "/agent/decisions", { body: situation });
    expect(body.explanation.effects).toMatchObject([{ text: `Hi ${name}`, html }]);
    const { email, raw } = await sentTo("fay@customer.test", 1);
    expect(raw).toMatch(/^Content-Type: multipart\/alternative;/m);
    expect(email.text?.trim()).toBe(`Hi ${name}`);
    expect(email.html?.trim()).toBe(
      `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${html}\n</body></html>`,
    );
    const { messageId } = body.explanation.effects[0];
    const stored = async () => (await gateway.rest("GET", `/messages/${messageId}`)).body;
    expect(await stored()).toMatchObject({ message: `Hi ${name}`, html });
    const replay = await gateway.graphql(
      `query ($id: ID!, $against: ReplayAgainst!) { replayDecision(id: $id, against: $against) { status } }`,
      { id: body.id, against: { version: body.configurationVersion } },
    );
    expect(replay.body.data?.replayDecision).toEqual({ status: "same" });
    const exported = await gateway.rest("GET", `/agent/contacts/${contact.id}/export`);
    expect(JSON.stringify(exported.body)).toContain(JSON.stringify(html).slice(1, -1));
    expect((await gateway.rest("DELETE", `/agent/contacts/${contact.id}`)).status).toBe(204);
    await waitUntil(async () => (await stored()).message === "");
    expect(await stored()).not.toHaveProperty("html");
  });

  test("an e-mail joins the conversation that it answers, from any address of its contact", async () => {
    const addresses = ["carl@work.test", "carl@home.test"].map((address) => ({ kind: "email", address }));
    const put = await gateway.rest("POST", "/agent/contacts", { body: { ref: "carl", addresses } });
    expect(put.status).toBeLessThan(300);
    const { conversationId } = await write("carl@work.test", ["Message-ID: <c1@work.test>"]);
    const { messageId } = (await sentTo("carl@work.test", 1)).email;
    const reply = (from: string, id: string) =>
      write(from, [`Message-ID: <${id}@customer.test>`, `In-Reply-To: ${messageId}`]);
    expect((await reply("carl@home.test", "c2")).conversationId).toBe(conversationId);
    await sentTo("carl@work.test", 2);
    // Someone else's answer to the same e-mail belongs to another conversation.
    expect((await reply("eve@customer.test", "c3")).conversationId).not.toBe(conversationId);
    await gateway.rest("POST", `/agent/conversations/${conversationId}/close`);
    const next = await reply("carl@home.test", "c4");
    expect(next.conversationId).not.toBe(conversationId);
    expect((await sentTo("carl@home.test", 1)).email).toMatchObject({
      inReplyTo: "<c4@customer.test>",
      references: `${messageId} <c4@customer.test>`,
    });
  });

  test("an e-mail with STOP or START also applies to its sender if it answers another address", async () => {
    const addresses = ["kim@work.test", "kim@home.test"].map((address) => ({ kind: "email", address }));
    const { body: contact } = await gateway.rest("POST", "/agent/contacts", {
      body: { ref: "kim", addresses },
    });
    const { conversationId } = await write("kim@work.test", ["Message-ID: <k1@work.test>"]);
    const { messageId } = (await sentTo("kim@work.test", 1)).email;
    const reply = (text: string, id: string) =>
      write("kim@home.test", [`Message-ID: <${id}@home.test>`, `In-Reply-To: ${messageId}`], text);
    const optedOut = async () => {
      const { body } = await gateway.rest("GET", `/agent/contacts/${contact.id}`);
      return body.addresses.flatMap((each: { address: string; optedOutAt?: string }) =>
        each.optedOutAt === undefined ? [] : each.address,
      );
    };
    expect(await reply("STOP", "k2")).toMatchObject({ conversationId });
    expect((await optedOut()).sort()).toEqual(["kim@home.test", "kim@work.test"]);
    await write("kim@work.test", ["Message-ID: <k3@work.test>"], "START");
    expect(await optedOut()).toEqual(["kim@home.test"]);
    const start = await reply("START", "k4");
    expect(start).toMatchObject({ conversationId });
    expect(start).not.toHaveProperty("decisionId");
    expect(await optedOut()).toEqual([]);
  });

  /** Opens a conversation with a message, which has been sent, and returns the conversation's path. */
  const openedWith = async (contact: object, line: string): Promise<string> => {
    const { body } = await gateway.rest("POST", "/agent/conversations", {
      body: { contact, line, message: "One" },
    });
    const path = `/agent/conversations/${body.conversation.id}`;
    await waitUntil(async () => (await gateway.rest("GET", `${path}/messages`)).body[0].status === "sent");
    return path;
  };

  test("if the mail server replaces the `Message-ID`, later e-mails and answers continue the thread by its ID", async () => {
    const [address, home] = ["ivo@work.test", "ivo@home.test"].map((each) => ({
      kind: "email",
      address: each,
    }));
    await gateway.rest("POST", "/agent/contacts", { body: { ref: "ivo", addresses: [address, home] } });
    let mails = 0;
    reply = () => {
      mails += 1;
      return `2.0.0 OK <${mails}@x.prod.outlook.com> [Hostname=x]`;
    };
    const path = await openedWith({ address }, "mail");
    await gateway.rest("POST", `${path}/messages`, { body: { message: "Two" } });
    expect((await sentTo("ivo@work.test", 2)).email).toMatchObject({
      inReplyTo: "<1@x.prod.outlook.com>",
      references: "<1@x.prod.outlook.com>",
    });
    const headers = ["Message-ID: <i1@home.test>", "In-Reply-To: <1@x.prod.outlook.com>"];
    const { conversationId } = await write("ivo@home.test", headers);
    expect(path).toContain(conversationId);
    await sentTo("ivo@work.test", 3);
    reply = () => undefined;
  });

  test("after a change of `from`, later e-mails refer to the `Message-ID` that was sent", async () => {
    const moving = { port: server.port, from: "a@before.example" };
    const { lineId: id } = await addMailSender(gateway, agentId, moving, "moving");
    const address = { kind: "email", address: "jon@customer.test" };
    await gateway.rest("POST", "/agent/contacts", { body: { ref: "jon", addresses: [address] } });
    const path = await openedWith({ ref: "jon" }, "moving");
    const { messageId } = (await sentTo("jon@customer.test", 1)).email;
    await lineClient(gateway).update({ id, email: { from: "a@after.example" } });
    await gateway.rest("POST", `${path}/messages`, { body: { message: "Two" } });
    expect((await sentTo("jon@customer.test", 2)).email).toMatchObject({
      messageId: expect.stringMatching(/@after\.example>$/),
      inReplyTo: messageId,
    });
    expect(messageId).toMatch(/@before\.example>$/);
  });
});
