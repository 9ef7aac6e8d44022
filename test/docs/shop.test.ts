import { DAY_MS, HOUR_MS } from "../../src/common/time";
import { Contact } from "../../src/features/contacts/contact.entity";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { runTests } from "../../src/features/decisions/configuration-tests/run-tests";
import { Message } from "../../src/features/messages/message.entity";
import { MessageError } from "../../src/features/messages/message.enums";
import { Timer } from "../../src/features/timers/timer.entity";
import { compile } from "../support/configuration";
import { addContact } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import { type Sender, senderOn } from "../support/inbound";
import { lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";
import { read, section } from "./markdown";

const [, CONFIGURATION = ""] = /```json\n([^`]+)```/.exec(section(read("docs/agent.md"), "## A shop")) ?? [];

/** A Monday in Zurich, at 9:00. */
const MONDAY = Date.parse("2027-03-01T08:00:00Z");

const CONTACTS = {
  anna: { name: "Anna", locale: "de-CH", timezone: "Europe/Zurich" },
  benoit: { name: "Benoît", locale: "fr-CH", timezone: "Europe/Zurich" },
  carol: { name: "Carol", locale: "en-US", timezone: "America/New_York" },
};

type Name = keyof typeof CONTACTS;

test("the configuration of the shop has at most 100 lines", () => {
  expect(CONFIGURATION.trim().split("\n").length).toBeLessThanOrEqual(100);
});

test("the tests of the shop pass", async () => {
  const { tests, ...document } = JSON.parse(CONFIGURATION);
  const { failed, total } = runTests(await compile(document), tests);
  expect([failed, total]).toEqual([0, 2]);
});

describeGateway({ engine: "one", env: { DELIVERY_WORKERS: "1" } }, (gateway) => {
  const realNow = Date.now;
  let sender: Sender;
  beforeAll(async () => {
    const agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, JSON.parse(CONFIGURATION));
    for (const [ref, contact] of Object.entries(CONTACTS))
      await addContact(gateway, {
        agentId,
        ref,
        ...contact,
        addresses: [{ kind: AddressKind.local, address: ref }],
      });
    const { body } = await lineClient(gateway).list(agentId);
    sender = await senderOn(gateway, agentId, body.data.lines[0].id);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Sets the gateway's clock, which continues from there. */
  const setClock = (timeMs: number) => {
    const shift = timeMs - realNow();
    jest.spyOn(Date, "now").mockImplementation(() => realNow() + shift);
    gateway.services.lanes.notify();
  };
  const report = async (ref: Name, type: string, data: Record<string, unknown>) => {
    const { status, body } = await decisionClient(gateway).decide({ type, data, contact: { ref } });
    expect(status).toBe(201);
    return body.explanation.effects;
  };
  const read = <T>(query: Parameters<typeof gateway.services.database.read<T>>[0]) =>
    gateway.services.database.read(query);
  /** Returns the texts of the messages to a contact. */
  const got = async (ref: Name): Promise<string[]> => {
    const rows: { text: string }[] = await read((reader) =>
      reader.query(
        `select message.message as text from message join conversation on conversation.id = conversation_id
           join contact on contact.id = contact_id
         where ref = $1 and direction = 'outbound' and status = 'delivered' order by message.id`,
        [ref],
      ),
    );
    // Versions of ICU differ in spaces and apostrophes.
    return rows.map(({ text }) => text.replaceAll(/\s/g, " ").replaceAll("’", "'"));
  };
  const idOf = async (ref: Name) => (await read((reader) => reader.findOneByOrFail(Contact, { ref }))).id;
  const gets = async (ref: Name, count: number) => {
    await waitUntil(async () => (await got(ref)).length >= count);
    return (await got(ref)).at(-1);
  };

  test("keeps its promises for a week", async () => {
    setClock(MONDAY);
    await report("anna", "order.placed", { orderId: "A1", total: 1234.5 });
    await report("benoit", "order.placed", { orderId: "B1", total: 20 });
    expect(await gets("anna", 1)).toBe("Danke, Anna! Bitte zahlen Sie CHF 1'234.50 innert eines Tages.");
    expect(await gets("benoit", 1)).toBe("Merci, Benoît ! Veuillez payer 20.00 CHF sous un jour.");

    // It is 3:00 in New York.
    const [night] = await report("carol", "order.placed", { orderId: "C1", total: 7 });
    expect(night).toMatchObject({ gate: { name: "window", until: "2027-03-01T13:00:00.000Z" } });
    expect(await got("carol")).toEqual([]);
    setClock(MONDAY + 5 * HOUR_MS);
    expect(await gets("carol", 1)).toBe("Thank you, Carol! Please pay CHF 7.00 within a day.");

    await report("benoit", "order.paid", { orderId: "B1" });
    setClock(MONDAY + DAY_MS + HOUR_MS);
    expect(await gets("anna", 2)).toBe("Für Bestellung A1 sind noch CHF 1'234.50 offen.");
    setClock(MONDAY + DAY_MS + 6 * HOUR_MS);
    expect(await gets("carol", 2)).toBe("CHF 7.00 for order C1 is still due.");
    expect(await read((reader) => reader.count(Timer))).toBe(0);
    expect(await got("benoit")).toHaveLength(1);

    const arrives = "2027-03-05T12:00:00Z";
    for (const ref of ["anna", "benoit", "carol"] as const)
      await report(ref, "order.shipped", { orderId: ref, arrives });
    expect(await gets("anna", 3)).toBe("Bestellung anna kommt am 5. März 2027 an.");
    expect(await gets("benoit", 2)).toBe("La commande benoit arrivera le 5 mars 2027.");
    expect(await gets("carol", 3)).toBe("Order carol arrives on March 5, 2027.");

    const news = (ref: Name, title: string) => report(ref, "newsletter", { title });
    for (const title of ["One", "Two", "Three"])
      for (const ref of ["anna", "benoit"] as const)
        expect(await news(ref, title)).toMatchObject([{ status: "done", topic: "news" }]);
    expect(await gets("anna", 5)).toMatch(/^Two: /);
    const capped = () => read((reader) => reader.countBy(Message, { errorCode: MessageError.capped }));
    await waitUntil(async () => (await capped()) === 2);
    const stop = { id: "1", from: "benoit", text: "STOP" };
    expect((await sender.message(stop, { at: new Date(Date.now()) })).status).toBe(202);
    expect(await news("benoit", "Four")).toMatchObject([{ error: { code: "opted_out" } }]);
    expect(await got("benoit")).toHaveLength(4);

    setClock(MONDAY + 8 * DAY_MS + 7 * HOUR_MS);
    await news("anna", "Four");
    expect(await gets("anna", 6)).toMatch(/^Four: /);
    const consent = await gateway.rest("PUT", `/agent/contacts/${await idOf("anna")}/consents/news`, {
      body: { state: "out" },
    });
    expect(consent.status).toBe(200);
    expect(await news("anna", "Five")).toMatchObject([{ error: { code: "opted_out" } }]);
    expect(await report("anna", "order.shipped", { orderId: "A2", arrives })).toMatchObject([
      { status: "done" },
    ]);
  });
});
