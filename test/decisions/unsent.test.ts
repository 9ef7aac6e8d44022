import { type Timestamp, timestamp } from "../../src/common/time";
import { type AddressKind, ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { Event as StoredEvent } from "../../src/features/events/event.entity";
import { Message } from "../../src/features/messages/message.entity";
import { contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { type DecisionBody, decisionClient, publish } from "../support/decisions";
import { addLine, addWebhookLine } from "../support/lines";
import { scrape } from "../support/metrics";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const once = { per: "contact", within: "P30D" };
const perOrder = { per: "situation.data.orderId", within: "P30D" };
const perName = { per: "contact.name", within: "P1D" };
const perConversation = { per: "conversation", within: "P1D" };
const grouped = { ...once, group: "news" };
const DOCUMENT = {
  situations: {
    ...{ "order.shipped": {}, tagged: {}, both: {}, urgent: {}, failed: {}, plain: {}, moved: {} },
    ...{ listed: {}, elsewhere: {}, same: {}, nothing: {}, "order.late": {}, opened: {} },
    ...{ "order.paid": { orderId: "string" }, "order.noted": {}, news: { offer: "bool" } },
  },
  templates: { text: "Your order is on its way." },
  rules: [
    { id: "shipped", on: "order.shipped", do: [{ send: "text" }], once },
    { id: "tagged", on: "tagged", do: [{ addTags: ["a"] }], once },
    { id: "both", on: "both", do: [{ send: "text" }, { addTags: ["b"] }], once },
    {
      id: "urgent",
      on: "urgent",
      do: [{ send: "text", line: "second" }, { addTags: ["u"] }],
      whileHuman: true,
      once,
    },
    { id: "failed", on: "failed", do: [{ send: "text" }, { move: "nowhere" }] },
    { id: "paid", on: "order.paid", do: [{ addTags: ["paid"] }], once: perOrder },
    { id: "noted", on: "order.noted", do: [{ addTags: ["noted"] }], once: perName },
    {
      id: "offer",
      on: "news",
      when: ["situation.data.offer"],
      do: [{ addTags: ["o"] }],
      once: grouped,
      continue: true,
    },
    { id: "news", on: "news", do: [{ addTags: ["n"] }], once: grouped },
    {
      id: "listed",
      on: "listed",
      when: ['!("email" in contact.channels)'],
      do: [{ send: "text", line: ["nowhere", "main", "sms"] }],
    },
    { id: "moved", on: "moved", do: [{ send: "text" }, { move: "sms" }] },
    { id: "elsewhere", on: "elsewhere", do: [{ send: "text", line: ["second", "sms"] }, { move: "sms" }] },
    { id: "same", on: "same", do: [{ send: "text" }, { move: "second" }] },
    { id: "nothing", on: "nothing", do: [], once },
    { id: "late", on: "order.late", do: [{ send: "text", line: "sms" }], once: perConversation },
    { id: "opened", on: "opened", do: [{ send: "text" }], once: perConversation },
  ],
  otherwise: [{ send: "text" }],
};

describeGateway({ env: { DELIVERY_WORKERS: "0" }, engine: "any" }, (gateway) => {
  let agentId: string;
  let api: ReturnType<typeof decisionClient>;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    api = decisionClient(gateway);
    await addLine(gateway, { agentId, name: "second" });
    await addWebhookLine(gateway, { agentId, name: "sms" });
    await publish(gateway, agentId, DOCUMENT);
  });

  const decide = async (type: string, about: DecisionBody = {}) =>
    (await api.decide({ type, ...about })).body;
  /** Adds a contact that the default line does not reach. */
  const unreached = async () => {
    const addresses = [{ kind: "phone", address: `+4915${Math.random().toFixed(9).slice(2)}` }];
    const { body } = await contactClient(gateway).put({ ref: `ref ${Math.random()}`, addresses });
    return body.data.putContact.contact as { id: string; ref: string; addresses: object[] };
  };
  const reach = ({ ref, addresses }: { ref: string; addresses: object[] }) =>
    contactClient(gateway).put({ ref, addresses: [...addresses, { kind: "local", address: ref }] });
  const optOut = (contactId: string, kind: string, optedOutAt: Timestamp | null = timestamp()) =>
    gateway.services.database.write((tx) =>
      tx.update(ContactAddress, { contactId, kind: kind as AddressKind }, { optedOutAt }),
    );
  const handedOff = async () => {
    const contact = await unreached();
    await reach(contact);
    const { body } = await conversationClient(gateway).open({ contact: { id: contact.id } });
    const { id } = body.data.openConversation.conversation;
    await conversationClient(gateway).handOff(id);
    return { id, contactId: contact.id };
  };
  const effectsOf = ({ explanation: { effects } }: { explanation: { effects: Effect[] } }) =>
    effects.map(({ kind, status, error }) => [kind, status, error?.code]);
  type Effect = { kind: string; status: string; error?: { code: string } };

  test("a decision whose effects all fail counts as failed in its event, lists and metrics", async () => {
    const { total: before } = await scrape(gateway);
    const contact = await unreached();
    const failed = await decide("failed", { contact: { id: contact.id } });
    expect(failed).toMatchObject({ state: "decided", outcome: "failed", failedEffects: 2 });
    const inPart = await decide("both", { contact: { id: contact.id } });
    expect(inPart).toMatchObject({ outcome: "silent", failedEffects: 1 });
    const whole = await decide("tagged", { contact: { id: contact.id } });
    expect(whole).toMatchObject({ outcome: "silent", failedEffects: 0 });

    const [event] = await gateway.services.database.read((reader) =>
      reader.find(StoredEvent, {
        where: { type: "decision.made" },
        order: { position: "DESC" },
        skip: 2,
        take: 1,
      }),
    );
    expect(event?.data).toMatchObject({ id: failed.id, outcome: "failed", failedEffects: 2 });
    const listed = async (filter: string) => {
      const { body } = await api.list(`?contactId=${contact.id}&${filter}`);
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await listed("hasFailures=true")).toEqual([inPart.id, failed.id]);
    expect(await listed("hasFailures=false")).toEqual([whole.id]);
    expect(await listed("outcome=failed")).toEqual([failed.id]);
    const { total } = await scrape(gateway);
    const added = (name: string, labels: Record<string, string>) =>
      total(name, labels) - before(name, labels);
    expect(added("gateway_decisions_total", { outcome: "failed" })).toBe(1);
    const notReached = { kind: "send", status: "failed", code: "not_deliverable" };
    expect(added("gateway_effects_total", notReached)).toBe(2);
    expect(added("gateway_effects_total", { status: "done", code: "none" })).toBe(2);
  });

  test("a rule with `once` counts only if it had an effect or there was nothing to change", async () => {
    const contact = await unreached();
    const about = { contact: { id: contact.id } };
    expect(await decide("order.shipped", about)).toMatchObject({ ruleId: "shipped", outcome: "failed" });
    await contactClient(gateway).addTags(contact.id, ["a"]);
    expect(effectsOf(await decide("tagged", about))).toEqual([["addTags", "unchanged", undefined]]);
    expect((await decide("tagged", about)).explanation.rules[0]).toMatchObject({ spent: true });
    expect(await decide("both", about)).toMatchObject({ ruleId: "both", failedEffects: 1 });
    expect((await decide("both", about)).explanation.rules[0]).toMatchObject({ spent: true });
    await reach(contact);
    expect(await decide("order.shipped", about)).toMatchObject({ ruleId: "shipped", outcome: "send" });
    expect((await decide("order.shipped", about)).explanation.rules[0]).toMatchObject({ spent: true });
  });

  test("a rule with `once` per text counts each text of a contact", async () => {
    const [one, other] = [await unreached(), await unreached()];
    const isSpent = async ({ id }: { id: string }, orderId: string) =>
      (await decide("order.paid", { contact: { id }, data: { orderId } })).explanation.rules[0].spent ===
      true;
    expect([await isSpent(one, "A1"), await isSpent(one, "A1"), await isSpent(one, "A2")]).toEqual([
      false,
      true,
      false,
    ]);
    expect([await isSpent(other, "A1"), await isSpent(one, "A2")]).toEqual([false, true]);
  });

  test.each([
    ["another line", "order.late"],
    ["the default line", "opened"],
  ])(
    "a rule with `once` per conversation matches once in the conversation that it opens on %s",
    async (_, type) => {
      const contact = await unreached();
      if (type === "opened") await reach(contact);
      const about = { contact: { id: contact.id } };
      const matched = async (more: DecisionBody = {}) => {
        const { explanation, conversationId } = await decide(type, { ...about, ...more });
        const [{ matched, spent = false }] = explanation.rules;
        return { matched, spent, conversationId };
      };
      const { conversationId, ...first } = await matched();
      expect(first).toEqual({ matched: true, spent: false });
      for (const more of [{}, { dryRun: true }, { conversationId }])
        expect(await matched(more)).toMatchObject({ matched: false, spent: true });
      await conversationClient(gateway).close(conversationId);
      expect(await matched()).toMatchObject({ matched: true, spent: false });
      expect(await matched()).toMatchObject({ matched: false, spent: true });
    },
  );

  test("a rule whose `once` gives no text does not match, and says why", async () => {
    const { id } = await unreached();
    const { ruleId, explanation } = await decide("order.noted", { contact: { id } });
    expect(ruleId).toBeUndefined();
    expect(explanation.rules).toEqual([
      expect.objectContaining({
        ruleId: "noted",
        matched: false,
        clauses: [
          expect.objectContaining({
            source: "contact.name",
            error: expect.objectContaining({ code: "type_mismatch" }),
          }),
        ],
      }),
    ]);
  });

  test("rules of a group share one count, even within a decision", async () => {
    const { id } = await unreached();
    const spent = async (offer: boolean) => {
      const { explanation } = await decide("news", { contact: { id }, data: { offer } });
      return explanation.rules.map((rule: { matched: boolean; spent?: true }) => [
        rule.matched,
        rule.spent === true,
      ]);
    };
    expect(await spent(true)).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(await spent(false)).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  test("a message to an address that opted out fails, unless the conversation moves to another address", async () => {
    const contact = await unreached();
    await reach(contact);
    const about = { contact: { id: contact.id } };
    await optOut(contact.id, "local");
    const unopened = await decide("both", about);
    expect(effectsOf(unopened)[0]).toEqual(["send", "failed", "opted_out"]);
    expect(unopened).not.toHaveProperty("conversationId");
    await optOut(contact.id, "local", null);
    const { conversationId } = await decide("plain", about);
    await optOut(contact.id, "local");
    for (const each of [{ conversationId }, about])
      expect(effectsOf(await decide("plain", each))).toEqual([["send", "failed", "opted_out"]]);
    for (const [type, sent] of [
      ["same", ["send", "failed", "opted_out"]],
      ["moved", ["send", "done", undefined]],
    ] as const)
      expect(effectsOf(await decide(type, { conversationId }))).toEqual([sent, ["move", "done", undefined]]);
  });

  test("a message fails if its conversation moves to an address that opted out or cannot leave one, and moves of other conversations do not count", async () => {
    const contact = await unreached();
    await reach(contact);
    const about = { contact: { id: contact.id } };
    const { conversationId } = await decide("plain", about);
    await optOut(contact.id, "local");
    const elsewhere = await decide("elsewhere", about);
    expect(effectsOf(elsewhere)).toEqual([
      ["send", "done", undefined],
      ["move", "failed", "conflict"],
    ]);
    expect(elsewhere.explanation.effects[0]).toMatchObject({ line: "sms" });
    expect(effectsOf(await decide("moved", { conversationId }))).toEqual([
      ["send", "failed", "opted_out"],
      ["move", "failed", "conflict"],
    ]);
    const { body } = await conversationClient(gateway).open({ ...about, line: "sms" });
    const { id } = body.data.openConversation.conversation;
    expect(effectsOf(await decide("same", { conversationId: id }))).toEqual([
      ["send", "failed", "opted_out"],
      ["move", "done", undefined],
    ]);
  });

  test("the first line in a list that reaches the contact is used, and a human is not bypassed", async () => {
    const contact = await unreached();
    const listed = async (about = { contact: { id: contact.id } }) => {
      const { explanation } = await decide("listed", about);
      const [{ status, line, error, obstacles = [] }] = explanation.effects;
      type Obstacle = { line: string; error: { code: string } };
      const why = obstacles.map((each: Obstacle) => [each.line, each.error.code].join(" "));
      return [status, error?.code ?? line, ...why];
    };
    expect(await listed()).toEqual(["done", "sms", "nowhere not_found", "main not_deliverable"]);
    await optOut(contact.id, "phone");
    expect(await listed()).toEqual([
      ...["failed", "not_deliverable", "nowhere not_found", "main not_deliverable", "sms opted_out"],
    ]);
    await reach(contact);
    expect(await listed()).toEqual(["done", "main", "nowhere not_found"]);
    await optOut(contact.id, "local");
    const { explanation } = await decide("listed", { contact: { id: contact.id } });
    expect(explanation.rules[0].clauses[0].read).toEqual([{ path: "contact.channels", value: [] }]);

    const other = await unreached();
    const opened = await conversationClient(gateway).open({ contact: { id: other.id }, line: "sms" });
    await conversationClient(gateway).handOff(opened.body.data.openConversation.conversation.id);
    expect(await listed({ contact: { id: other.id } })).toEqual([
      ...["failed", "conflict", "nowhere not_found", "main not_deliverable"],
    ]);
  });

  test("while a human answers, all rules are evaluated, but only rules with whileHuman have effects", async () => {
    const { id: conversationId, contactId } = await handedOff();
    const held = await decide("both", { conversationId });
    expect(held).toMatchObject({ ruleId: "both", outcome: "silent", failedEffects: 0 });
    expect(held.explanation.gates).toEqual([{ name: "handler", passed: false }]);
    expect(held.explanation.rules).toMatchObject([{ ruleId: "both", matched: true }]);
    expect(effectsOf(held)).toEqual([
      ["send", "skipped", "handed_off"],
      ["addTags", "skipped", "handed_off"],
    ]);
    const spent = async () => (await decide("nothing", { conversationId })).explanation.rules[0].spent;
    expect([await spent(), await spent()]).toEqual([undefined, undefined]);
    const urgent = await decide("urgent", { conversationId });
    expect(urgent).toMatchObject({ ruleId: "urgent", outcome: "send" });
    const sent = await gateway.services.database.read((reader) =>
      reader.findBy(Message, { decisionId: urgent.id }),
    );
    expect(sent).toMatchObject([{ conversationId, author: "agent" }]);
    const { body: found } = await contactClient(gateway).find({ id: contactId });
    expect(found.data.contact.tags).toEqual(["u"]);
    const { body } = await gateway.graphql(
      "query ($id: ID!) { replayDecision(id: $id, against: { version: 2 }) { status explanation { effects { status } } } }",
      { id: held.id },
    );
    expect(body.data.replayDecision).toMatchObject({
      status: "same",
      explanation: { effects: [{ status: "skipped" }, { status: "skipped" }] },
    });
    await conversationClient(gateway).release(conversationId);
    expect(await decide("both", { conversationId })).toMatchObject({ ruleId: "both", outcome: "send" });
  });

  test("an undeclared situation type is reported with the most similar one, and rejected in strict mode", async () => {
    const { explanation, outcome } = await decide("order.shiped");
    expect(outcome).toBe("send");
    expect(explanation.gates).toEqual([{ name: "declared", passed: false, nearest: "order.shipped" }]);
    expect((await decide("something.else")).explanation.gates).toEqual([{ name: "declared", passed: false }]);
    await publish(gateway, agentId, { ...DOCUMENT, strict: true });
    const { status, body } = await api.decide({ type: "order.shiped" });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("order.shipped"),
    });
    expect(await decide("message.received")).toMatchObject({ outcome: "send" });
    await publish(gateway, agentId, DOCUMENT);
  });
});
