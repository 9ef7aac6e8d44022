import { checkDocument } from "../../src/features/configuration/document/check-document";
import { Consent } from "../../src/features/contacts/consent.entity";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Message } from "../../src/features/messages/message.entity";
import { addContact, contactClient } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import { addLine, lineClient } from "../support/lines";
import { MailServer, type ReceivedMail } from "../support/mail-server";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const PUBLIC_URL = "https://gateway.example.com";

const ORIGIN = "https://other.example";

const DOCUMENT = {
  format: 1,
  burstSeconds: 0,
  policy: { topics: { news: { title: "News & <b>more</b>", default: "in" } } },
  situations: { news: {}, plain: {} },
  templates: {
    news: {
      text: "Hi {{ contact.name }}. Unsubscribe: {{ unsubscribeUrl }}",
      html: '<p>Hi {{ contact.name }}. <a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>',
      topic: "news",
    },
    plain: "Hi {{ contact.name }}",
  },
  rules: ["news", "plain"].map((name) => ({ id: name, on: name, do: [{ send: name, line: "mail" }] })),
};

const FORM = { "content-type": "application/x-www-form-urlencoded" };

describeGateway(
  {
    engine: "one",
    env: { DELIVERY_WORKERS: "4", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8", PUBLIC_URL, CORS_ORIGINS: ORIGIN },
  },
  (gateway) => {
    let server: MailServer;
    let agentId: string;
    let lineId: string;
    let count = 0;
    beforeAll(async () => {
      server = await MailServer.start();
      agentId = await firstAgentId(gateway);
      await publish(gateway, agentId, DOCUMENT);
      const email = { host: "127.0.0.1", port: server.port, security: "none", from: "support@acme.example" };
      lineId = (await addLine(gateway, { agentId, name: "mail", settings: { email } as never })).id;
    });
    afterAll(() => server.close());

    const newContact = async (name = "Ada") => {
      const address = `${++count}-ada@customer.test`;
      const ref = `ref-${count}`;
      const id = await addContact(gateway, {
        ...{ agentId, ref, name },
        addresses: [{ kind: AddressKind.email, address }],
      });
      return { id, ref, address };
    };
    const decide = async ({ ref }: { ref: string }, type = "news") => {
      const { body } = await decisionClient(gateway).decide({ type, contact: { ref } });
      return body.explanation.effects[0];
    };
    const mailTo = async (address: string, nth = 1): Promise<ReceivedMail> => {
      const mails = () => server.received.filter(({ to }) => to.includes(address));
      await waitUntil(() => mails().length === nth);
      return mails()[nth - 1] as ReceivedMail;
    };
    const headerOf = ({ email }: ReceivedMail, name: string) =>
      email.headers.find(({ key }) => key === name)?.value;
    /** Adds a contact, and returns the path of the link in an e-mail to it about news. */
    const subscribed = async () => {
      const contact = await newContact();
      const { messageId } = await decide(contact);
      const mail = await mailTo(contact.address);
      const link = headerOf(mail, "list-unsubscribe")?.slice(1, -1) ?? "";
      return { ...contact, messageId, mail, link, path: link.slice(PUBLIC_URL.length) };
    };
    const ask = (method: string, path: string, init: { body?: string; headers?: object } = {}) =>
      fetch(`${gateway.url}${path}`, { method, ...init } as RequestInit);
    const rows = <T extends object>(entity: new () => T, where: object) => gateway.rows.findBy(entity, where);
    const consents = () => rows(Consent, { agentId });

    test("an e-mail about a topic has a link and a button in mail programs, and neither is stored", async () => {
      const { mail, link, messageId } = await subscribed();
      expect(link).toMatch(/^https:\/\/gateway\.example\.com\/unsubscribe\/[\w-]{60,300}$/);
      expect(headerOf(mail, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
      expect(mail.email.text?.trim()).toBe(`Hi Ada. Unsubscribe: ${link}`);
      expect(mail.email.html).toContain(`<p>Hi Ada. <a href="${link}">Unsubscribe</a></p>`);
      expect(await rows(Message, { id: messageId })).toMatchObject([
        {
          text: "Hi Ada. Unsubscribe: {{ unsubscribeUrl }}",
          html: '<p>Hi Ada. <a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>',
        },
      ]);
      const other = await newContact("{{ unsubscribeUrl }}");
      await decide(other, "plain");
      const plain = await mailTo(other.address);
      expect(plain.email.text?.trim()).toBe("Hi {{ unsubscribeUrl }}");
      expect(plain.raw).not.toMatch(/^List-Unsubscribe/im);
    });

    test("requests to open the link opt no one out, but one POST does", async () => {
      const { id, ref, address, path } = await subscribed();
      const before = (await consents()).length;
      for (let i = 0; i < 3; i++) {
        const page = await ask("GET", path);
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
        const text = await page.text();
        expect(text).toContain("<h1>News &amp; &lt;b&gt;more&lt;/b&gt;</h1>");
        expect(text).toContain('<form method="post"><button>Unsubscribe</button></form>');
        expect(text).not.toContain(address);
        expect((await ask("HEAD", path)).status).toBe(200);
      }
      expect((await consents()).length).toBe(before);
      const bodies: { body?: string; headers?: object }[] = [
        { body: "List-Unsubscribe=One-Click", headers: FORM },
        {},
        { body: "{", headers: { "content-type": "application/json" } },
        { body: "--x\r\n\0", headers: { "content-type": "multipart/form-data; boundary=x" } },
      ];
      for (const each of bodies) {
        const answer = await ask("POST", path, each);
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain("You are unsubscribed.");
      }
      expect((await consents()).length).toBe(before + 1);
      expect(await (await ask("GET", path)).text()).not.toContain("<form");
      const events = await gateway.rest("GET", "/agent/events?types=contact.consent_changed&limit=100");
      expect(
        events.body.filter(({ data }: { data: object }) => "id" in data && data.id === id),
      ).toMatchObject([{ data: { ref, topic: "news", state: "out", source: "unsubscribe" } }]);
      expect(await decide({ ref })).toMatchObject({ status: "failed", error: { code: "opted_out" } });
      expect(await decide({ ref }, "plain")).toMatchObject({ status: "done" });
      await mailTo(address, 2);
    });

    test("a POST cancels the waiting messages about the topic, and no others", async () => {
      const { ref, path } = await subscribed();
      await lineClient(gateway).pause(lineId);
      const waiting = [await decide({ ref }), await decide({ ref }, "plain"), await decide({ ref })];
      expect((await ask("POST", path)).status).toBe(200);
      const stored = await Promise.all(
        waiting.map(async ({ messageId }) => (await rows(Message, { id: messageId }))[0]),
      );
      expect(stored).toMatchObject([
        { status: "canceled", errorCode: "opted_out" },
        { status: "queued" },
        { status: "canceled", errorCode: "opted_out" },
      ]);
      await lineClient(gateway).resume(lineId);
    });

    test("a POST works after the contact was erased, and its opt-out applies when the address is added again", async () => {
      const { id, ref, address, path } = await subscribed();
      await contactClient(gateway).erase(id);
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask("POST", path)));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      const again = `${ref}-again`;
      await addContact(gateway, {
        ...{ agentId, ref: again },
        addresses: [{ kind: AddressKind.email, address }],
      });
      expect(await decide({ ref: again })).toMatchObject({ status: "failed", error: { code: "opted_out" } });
    });

    slowTest("hundreds of wrong tokens are not found, and change nothing", async () => {
      const { path } = await subscribed();
      const before = await consents();
      const token = path.slice("/unsubscribe/".length);
      const bytes = Buffer.from(token, "base64url");
      const flipped = Array.from({ length: bytes.length }, (_, i) => {
        const changed = Buffer.from(bytes);
        changed[i] = (changed[i] ?? 0) ^ (1 << (i & 7));
        return changed.toString("base64url");
      });
      const cut = Array.from({ length: token.length - 1 }, (_, i) => [
        token.slice(0, i + 1),
        token.slice(i + 1) + token.slice(0, i + 1),
      ]).flat();
      const odd = [
        ...["a", "%00", "%2e", "'", "<script>", "%F0%9F%98%80", "x".repeat(10_000)],
        ...[`${token}=`, `${token}A`, `${token}/x`, ""],
      ];
      const wrong = [...flipped, ...cut, ...odd];
      expect(wrong.length).toBeGreaterThan(200);
      for (let i = 0; i < wrong.length; i += 10)
        await Promise.all(
          wrong.slice(i, i + 10).map(async (each) => {
            const answer = await ask(each.length % 2 ? "POST" : "GET", `/unsubscribe/${each}`);
            expect([each, answer.status]).toEqual([each, 404]);
            expect(await answer.text()).toContain("This link is not valid");
          }),
        );
      expect(await consents()).toEqual(before);
    });

    test("a browser that opens a link with a malformed escape gets a page", async () => {
      const answer = await ask("GET", "/unsubscribe/%", { headers: { accept: "text/html,*/*;q=0.8" } });
      expect([answer.status, answer.headers.get("vary")]).toEqual([404, "Accept"]);
      expect(await answer.text()).toContain("This link is not valid");
    });

    test("the page loads and runs nothing, is not listed anywhere, and limits bodies", async () => {
      const { path, address } = await subscribed();
      const page = await ask("GET", path, { headers: { origin: ORIGIN } });
      expect(page.headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(page.headers.get("x-robots-tag")).toBe("noindex, nofollow");
      expect(page.headers.get("cache-control")).toBe("no-store");
      for (const name of ["set-cookie", "access-control-allow-origin"])
        expect(page.headers.get(name)).toBeNull();
      expect((await ask("POST", path, { body: "x".repeat(9_000), headers: FORM })).status).toBe(413);
      expect((await ask("DELETE", path)).status).toBe(405);
      for (const same of [path, `${path}/`]) expect(await (await ask("GET", same)).text()).toContain("<form");
      for (const text of [address, path.slice("/unsubscribe/".length)])
        expect(gateway.log()).not.toContain(text);
    });

    const LINK = "which is available only in messages with a topic";
    const told = "Unsubscribe: {{ unsubscribeUrl }}";
    test.each([
      ["templates.plain", { templates: { ...DOCUMENT.templates, plain: told } }],
      [
        "templates.news.subject",
        { templates: { ...DOCUMENT.templates, news: { ...DOCUMENT.templates.news, subject: told } } },
      ],
      ["otherwise[0].later.key", { otherwise: [{ later: { situation: "news", after: "PT1H", key: told } }] }],
    ])("the check finds the link at %s", async (path, part) => {
      expect((await checkDocument({ ...DOCUMENT, ...part })).problems).toMatchObject([
        { path, message: `refers to unsubscribeUrl, ${LINK}` },
      ]);
    });

    test.each([
      ["text", "{{ unsubscribeUrl | upcase }}"],
      ["html", '<p><a href="{{ unsubscribeUrl | url_encode }}">Unsubscribe</a></p>'],
    ])("the check finds a filter of the link in %s that would break it", async (member, source) => {
      const templates = { ...DOCUMENT.templates, news: { ...DOCUMENT.templates.news, [member]: source } };
      const message = "changes unsubscribeUrl, which is known only when the message is sent";
      expect((await checkDocument({ ...DOCUMENT, templates })).problems).toMatchObject([
        { path: `templates.news.${member}`, message: expect.stringContaining(message) },
      ]);
    });

    test.each([
      ['<p><a href="{{ unsubscribeUrl }}x">a</a></p>', true],
      ['<p><a href="{% if true %}https://a{% else %}{{ unsubscribeUrl }}{% endif %}/x">a</a></p>', true],
      ['<p><a href="{% if true %}{{ unsubscribeUrl }}{% else %}https://a{% endif %}">a</a></p>', false],
      ['<p><a href="{{ unsubscribeUrl }}" title="a">{{ unsubscribeUrl }}x</a></p>', false],
    ])("the check finds text that %s adds to the link: %s", async (html, isFound) => {
      const templates = { ...DOCUMENT.templates, news: { ...DOCUMENT.templates.news, html } };
      const message = "has text after the unsubscribe link in the attribute href";
      expect((await checkDocument({ ...DOCUMENT, templates })).problems).toMatchObject(
        isFound ? [{ path: "templates.news.html", message }] : [],
      );
    });

    test("the check warns of the link if the gateway does not know its address", async () => {
      const surroundings = { lines: ["mail"], paused: [], hasModel: false, hasPublicUrl: false };
      const message = "uses unsubscribeUrl, which requires PUBLIC_URL";
      expect(await checkDocument(DOCUMENT, surroundings)).toMatchObject({
        problems: [],
        warnings: [
          { path: "templates.news.text", message },
          { path: "templates.news.html", message },
        ],
      });
    });

    test("an effect may set the topic of a text with the link", async () => {
      const rules = [{ id: "plain", on: "plain", do: [{ send: "plain", topic: "news" }] }];
      const document = { ...DOCUMENT, templates: { plain: told }, rules };
      expect((await checkDocument(document)).problems).toEqual([]);
    });
  },
);
