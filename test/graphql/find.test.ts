import { Permission } from "../../src/auth/permissions";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { mint } from "../support/gateway";
import { addLine } from "../support/lines";
import { addMember, addOrganization, codeOf, firstAgentId, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";
import { addTimer } from "../support/timers";
import { addEndpoint, storeDelivery } from "../support/webhooks";

const FIND = `query ($text: String!) { find(text: $text) { kind id title detail agentName subject eventId } }`;

describeGateway({ engine: "any" }, (gateway, engine) => {
  let agentId: string;
  let other: TestMember;
  /** The ID of one resource of each kind, and the subject that it leads to. */
  let all: Record<string, { id: string; subject?: string }>;
  const found = async (text: string, token = gateway.owner) => {
    const { body } = await gateway.graphql(FIND, { text }, { token });
    return body.data.find as { kind: string; id: string; title: string; detail: string; subject: string }[];
  };
  const idsOf = async (text: string, token?: string) => (await found(text, token)).map(({ id }) => id);
  const contact = (name: string | null, ...addresses: string[]) =>
    addContact(gateway, {
      agentId,
      ...(name !== null && { name }),
      addresses: addresses.map((address) => ({
        kind: address.includes("@") ? AddressKind.email : AddressKind.phone,
        address,
      })),
    });

  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    const org = `others-${engine.name}`.toLowerCase();
    await addOrganization(gateway, org);
    const permissions = [Permission.config_manage, Permission.conversations_read];
    other = await addMember(gateway, { org, permissions });
    await publish(gateway, agentId, {
      situations: { "order.paid": { data: { orderId: "string" }, key: "orderId" } },
      rules: [],
    });
    const { body: decision } = await decisionClient(gateway).decide({
      type: "order.paid",
      data: { orderId: "B-1001" },
    });
    const { id: conversation, contactId } = await addConversation(gateway, { agentId });
    const { body: message } = await gateway.rest("POST", "/messages", { body: { message: "Hello  there" } });
    const endpoint = await addEndpoint(gateway, { agentId });
    const delivery = await storeDelivery(gateway, endpoint, agentId);
    const [event] = await gateway.services.database.read((reader) =>
      reader.query("select event_id as id from webhook_delivery where id = $1", [delivery]),
    );
    all = {
      agent: { id: agentId },
      member: { id: (await addMember(gateway)).id },
      api_key: { id: (await mint(gateway)).id },
      line: { id: (await addLine(gateway, { agentId })).id },
      webhook_endpoint: { id: endpoint.id },
      webhook_delivery: { id: delivery, subject: `webhook_endpoint:${endpoint.id}` },
      contact: { id: contactId },
      conversation: { id: conversation },
      message: { id: message.id },
      decision: { id: decision.id },
      timer: { id: await addTimer(gateway, agentId, contactId), subject: `contact:${contactId}` },
      event: { id: event.id, subject: `line:${delivery}` },
    };
  });

  test("an ID leads to its resource, alone and in a URL, whatever its kind", async () => {
    for (const [kind, { id, subject = `${kind}:${id}` }] of Object.entries(all))
      for (const text of [id, ` ${id.toUpperCase()} `, `https://example.com/x/${id}?a=b`])
        expect(await found(text)).toContainEqual(expect.objectContaining({ kind, id, subject }));
    expect((await found(all.message?.id ?? ""))[0]?.title).toBe("Hello there");
    const eventId = all.event?.id ?? "";
    expect((await found(eventId)).map(({ kind }) => kind)).toEqual(["webhook_delivery", "event"]);
  });

  test("members find only what they may read, and nothing of other organizations", async () => {
    const kindsFor = async (token: string) => {
      const kinds = new Set<string>();
      for (const { id } of Object.values(all)) for (const { kind } of await found(id, token)) kinds.add(kind);
      return [...kinds].sort();
    };
    const as = async (...permissions: Permission[]) =>
      kindsFor((await addMember(gateway, { permissions })).token);
    const managed = ["api_key", "line", "webhook_delivery", "webhook_endpoint"];
    const read = ["contact", "conversation", "decision", "event", "message", "timer"];
    expect(await as()).toEqual(["agent", "member"]);
    expect(await as(Permission.config_manage)).toEqual(["agent", "member", ...managed].sort());
    expect(await as(Permission.conversations_read)).toEqual(["agent", "member", ...read].sort());
    expect(await kindsFor(other.token)).toEqual([]);
    const id = await contact("Only Here", "here@example.com");
    for (const text of ["Only Here", "here@example.com", "B-1001", "first-agent"])
      expect([text, await found(text, other.token)]).toEqual([text, []]);
    const without = await addMember(gateway);
    expect(await idsOf("Only Here", without.token)).not.toContain(id);
  });

  test("a phone number is found in any notation", async () => {
    const id = await contact(null, "+41 44 668 18 00");
    for (const text of [
      ...["+41446681800", "+41 44 668 18 00", "0041 44 668 18 00", "+41 (0)44 668-18-00", "tel:+41446681800"],
      ...["044 668 18 00", "(044) 668 18 00", "044/668.18.00", "44 668 18 00"],
      ...["41446681800", "44 668\u00a018\u201100", "\u202a+41446681800\u202c", "+41 (0)44 66"],
    ])
      expect([text, await idsOf(text)]).toEqual([text, [id]]);
  });

  test.each([
    ["an address", "find.me@example.com"],
    ["an address with its name", "Find Me <Find.Me@example.com>"],
    ["a link to an address", "mailto:find.me@example.com"],
    ["the beginning of an address", "find.me@"],
    ["the beginning of a name", "find m"],
    ["a word of the name and the beginning of another", "me fin"],
  ])("a contact is found by %s", async (_, text) => {
    const [known] = await idsOf("find.me@example.com");
    const id = known ?? (await contact("Find Me", "find.me@example.com"));
    expect(await idsOf(text)).toEqual([id]);
  });

  test("decisions are found by the key of their situation, keys by name and hint, and other objects by their names", async () => {
    expect(await found("B-1001")).toMatchObject([
      { kind: "decision", title: "order.paid", detail: "B-1001" },
    ]);
    const { id, hint } = await mint(gateway, { name: "Warehouse robot" });
    for (const text of [hint, "warehouse"])
      expect(await found(text)).toMatchObject([{ kind: "api_key", id, detail: hint }]);
    const { id: line } = await addLine(gateway, { agentId, name: "night-shift" });
    expect(await found("night")).toMatchObject([{ kind: "line", id: line }]);
    expect(await idsOf("first-agent")).toEqual([agentId]);
    const email = "some.body@example.com";
    const { id: member } = await addMember(gateway, { email });
    expect(await found("some.body")).toMatchObject([{ kind: "member", id: member, title: email }]);
  });

  test("at most five of a kind are found, whatever the text", async () => {
    for (let i = 0; i < 7; i += 1) await contact(`Crowd Number${i}`);
    expect(await idsOf("crowd")).toHaveLength(5);
    for (const text of ["%", "_", "'", "\\", "🙂", "\u202e", "12", "1".repeat(255), "<>", "a ".repeat(127)])
      expect([text, (await found(text)).length <= 60]).toEqual([text, true]);
  });

  test("whole keys are rejected", async () => {
    const { secret } = await mint(gateway);
    for (const text of [secret, `Bearer ${gateway.owner}`]) {
      const reply = await gateway.graphql(FIND, { text }, { token: gateway.owner });
      expect(codeOf(reply)).toBe("invalid_request");
      expect(reply.text).not.toContain(secret);
    }
  });
});
