import { publish } from "../support/decisions";
import { addMailSender, type Sender } from "../support/inbound";
import { MailServer } from "../support/mail-server";
import { firstAgentId } from "../support/people";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

/** How a program writes a reply. */
interface Program {
  /** The ID of an e-mail. */
  id(n: string): string;
  /** The headers that name earlier e-mails. */
  refer(ids: readonly string[]): string[];
  /** The lines of a reply. */
  quote(text: string): string[];
  isHtml?: true;
}

const inOne = (ids: readonly string[]) => [`In-Reply-To: ${ids.at(-1)}`, `References: ${ids.join(" ")}`];
const folded = (ids: readonly string[]) => [
  `References: ${ids.join("\r\n ")}`,
  `In-Reply-To:\r\n ${ids.at(-1)}`,
];
const marked = (text: string) => text.split("\n").map((line) => `> ${line}`);

const PROGRAMS: Record<string, Program> = {
  Gmail: {
    id: (n) => `<CAK${n}+x=rT9w_Q@mail.gmail.com>`,
    refer: inOne,
    quote: (text) => [
      `<div dir="ltr">${text}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Fri, Nov 27, 2026 at 10:00 AM Acme &lt;<a href="mailto:support@acme.example">support@acme.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote">An answer</blockquote></div>`,
    ],
    isHtml: true,
  },
  Outlook: {
    id: (n) => `<AM0PR01MB5537${n}A9F0B3B5A5E0F0D9C8B7A6@AM0PR01MB5537.eurprd01.prod.exchangelabs.com>`,
    refer: (ids) => [...inOne(ids), "Thread-Topic: Order", "Thread-Index: AQHbQ2xE"],
    quote: (text) => [
      ...[text, "", "________________________________", "From: Acme <support@acme.example>"],
      ...["Sent: Friday, November 27, 2026 10:00 AM", "To: Ada <ada@customer.test>", "Subject: Re: Order"],
      ...["", "An answer"],
    ],
  },
  "Apple Mail": {
    id: (n) => `<7E0C2B41-3D1F-4A8E-9A57-${n}@customer.test>`,
    refer: folded,
    quote: (text) => [
      ...[text, "", "> On 27. Nov 2026, at 10:00, Acme <support@acme.example> wrote:", "> "],
      ...marked("An answer"),
    ],
  },
  Thunderbird: {
    id: (n) => `<0f8fad5b-d9cb-469f-a165-${n}@customer.test>`,
    refer: folded,
    quote: (text) => ["Am 27.11.26 um 10:00 schrieb Acme:", ...marked("An answer"), "", text],
  },
  // Yahoo names only the last e-mail.
  Yahoo: {
    id: (n) => `<1093740287.${n}.1795773600000@mail.yahoo.com>`,
    refer: (ids) => [`In-Reply-To: ${ids.at(-1)}`],
    quote: (text) => [
      ` ${text}`,
      "    On Friday, November 27, 2026 at 10:00:00 AM GMT+1, Acme <support@acme.example> wrote:",
      ...[" ", " An answer"],
    ],
  },
  Proton: {
    id: (n) => `<Zk3${n}_-pQ8=@proton.me>`,
    refer: (ids) => [`In-Reply-To: ${ids.at(-1)}`, `References: ${ids.slice(-2).join(" ")}`],
    quote: (text) => [
      ...[text, "", "Sent with Proton Mail secure email.", ""],
      ...["On Friday, November 27th, 2026 at 10:00, Acme <support@acme.example> wrote:", ""],
      ...marked("An answer"),
    ],
  },
};

const PREFIXES = ["Re: ", "RE: ", "AW: ", "SV: ", "Antw: Re: ", "RES: ", "回复: "];

/** Each prefix and each program in at least one thread. */
const THREADS = PREFIXES.map((prefix, i) => {
  const [name, program] = Object.entries(PROGRAMS)[i % Object.keys(PROGRAMS).length] as [string, Program];
  return { prefix, name, program };
});

describeGateway({ engine: "any", env: DELIVERING }, (gateway) => {
  let server: MailServer;
  let sender: Sender;
  beforeAll(async () => {
    server = await MailServer.start();
    const agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, {
      burstSeconds: 0,
      templates: { answer: "An answer" },
      rules: [{ id: "answer", on: "message.received", do: [{ send: "answer" }] }],
    });
    const email = { port: server.port, from: "Acme <support@acme.example>" };
    sender = await addMailSender(gateway, agentId, email);
  });
  afterAll(() => server.close());

  /** Writes three e-mails in a thread, reads the answers, and returns the IDs of the thread and its conversations. */
  async function correspond({ prefix, name, program }: (typeof THREADS)[number]) {
    const { id, refer, quote, isHtml } = program;
    const nth = THREADS.findIndex((each) => each.prefix === prefix && each.name === name);
    const address = `ada-${nth}@customer.test`;
    const ids: string[] = [];
    const found: (Record<string, unknown> & { conversationId: string })[] = [];
    for (const turn of [0, 1, 2]) {
      const own = id(`${nth}${turn}`);
      const subject = `=?utf-8?B?${Buffer.from(prefix).toString("base64")}?= Order 4711`;
      const { status, body } = await sender.mail(
        [
          `From: Ada <${address}>`,
          `Subject: ${turn === 0 ? "Order 4711" : subject}`,
          `Message-ID: ${own}`,
          ...(turn === 0 ? [] : refer(ids)),
          `Content-Type: text/${isHtml ? "html" : "plain"}; charset=utf-8`,
          "",
          ...(turn === 0 ? ["Turn 0"] : quote(`Turn ${turn}`)),
        ].join("\r\n"),
      );
      expect(status).toBe(202);
      const answers = () => server.received.filter(({ to }) => to.includes(address));
      await waitUntil(() => answers().length > turn);
      const { subject: answered, inReplyTo, references, messageId = "" } = answers()[turn]?.email ?? {};
      const { body: message } = await gateway.rest("GET", `/messages/${body.id}`);
      found.push({
        text: message.message,
        subject: answered,
        isReply: inReplyTo === own && references?.split(" ").at(-1) === own,
        // Programs that name only the last e-mails shorten the thread.
        isWhole: name === "Yahoo" || name === "Proton" || references === [...ids, own].join(" "),
        isSame: found.length === 0 || found[0]?.conversationId === body.conversationId,
        conversationId: body.conversationId,
      });
      ids.push(own, messageId);
    }
    return found.map(({ conversationId: _, ...turn }) => turn);
  }

  test("a thread is the same at both ends, whatever program the contact uses", async () => {
    const found = await Promise.all(
      THREADS.map(async (thread) => [thread.name, thread.prefix, ...(await correspond(thread))]),
    );
    const turn = { subject: "Re: Order 4711", isReply: true, isWhole: true, isSame: true };
    expect(found).toEqual(
      THREADS.map(({ name, prefix }) => [
        name,
        prefix,
        ...[0, 1, 2].map((n) => ({ ...turn, text: `Turn ${n}` })),
      ]),
    );
  });
});
