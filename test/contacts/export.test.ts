import { v7 as uuid } from "uuid";
import { DAY_MS, timestamp } from "../../src/common/time";
import { insertAll } from "../../src/database/insert-all";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { encodeCursor } from "../../src/pagination/cursor";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { addOrganization, codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const MARK = "what-nobody-else-is-told";

/** Tables that refer to contacts but are not exported, each with the reason. */
const NOT_EXPORTED: Readonly<Record<string, string>> = {
  contact_term: "derived from the contact's name, ref and addresses",
  idempotency_record: "the answers of requests, for a day",
  lane: "work that waits, without data",
};

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "1" } }, (gateway) => {
  let agentId: string;
  let contactId: string;
  let conversationId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, {
      situations: { "order.placed": { note: "string" } },
      templates: { thanks: "Thanks, {{ situation.data.note }}" },
      rules: [
        {
          id: "thanks",
          on: "order.placed",
          once: { per: "contact", within: "P1D" },
          do: [
            { send: "thanks" },
            {
              later: {
                situation: "order.placed",
                after: "P1D",
                key: "again",
                data: { note: "{{ situation.data.note }}" },
              },
            },
          ],
        },
      ],
    });
    contactId = await addContact(gateway, {
      agentId,
      ref: `ref ${MARK}`,
      name: MARK,
      attributes: { note: MARK },
      tags: ["vip"],
      addresses: [{ kind: AddressKind.local, address: MARK }],
    });
    const opened = await gateway.rest("POST", "/agent/conversations", {
      body: { contact: { id: contactId } },
    });
    conversationId = opened.body.conversation.id;
    await decisionClient(gateway).decide({ type: "order.placed", data: { note: MARK }, conversationId });
    await gateway.rest("POST", `/agent/conversations/${conversationId}/messages`, {
      body: { message: `later ${MARK}`, sendAt: timestamp(DAY_MS) },
    });
    await waitUntil(async () => (await records()).some(({ data }) => data.status === "delivered"));
    await gateway.rest("POST", `/agent/conversations/${conversationId}/handoff`);
  });

  // biome-ignore lint/suspicious/noExplicitAny: each kind has other data
  type Exported = { kind: string; data: any };
  /** Reads all records about a contact, in pages. */
  async function records(id = contactId, limit = 100): Promise<Exported[]> {
    const all: Exported[] = [];
    for (let path = `/agent/contacts/${id}/export?limit=${limit}`; path !== ""; ) {
      const { status, body, headers } = await gateway.rest("GET", path);
      expect(status).toBe(200);
      all.push(...body);
      path = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "";
    }
    return all;
  }
  /** Counts the rows that contain a string, by table. */
  const tablesWith = (text: string): Promise<Record<string, number>> =>
    gateway.services.database.read(async (reader) => {
      const found: Record<string, number> = {};
      for (const { target, tableName } of reader.connection.entityMetadatas) {
        const rows = await reader.find(target);
        const count = rows.filter((row) => JSON.stringify(row).includes(text)).length;
        if (count > 0) found[tableName] = count;
      }
      return found;
    });

  test("an export contains everything that names a contact, whatever the page size", async () => {
    const all = await records();
    expect(await records(contactId, 1)).toEqual(all);
    const kinds = new Set(all.map(({ kind }) => kind));
    expect([...kinds]).toEqual([
      ...["contact", "address", "tag", "event", "timer", "conversation", "conversation_log_entry", "message"],
      ...["decision", "rule_match"],
    ]);
    const messages = all.filter(({ kind }) => kind === "message").map(({ data }) => data);
    expect(messages).toMatchObject([
      { text: `Thanks, ${MARK}`, status: "delivered", deliveryAttempts: [{ outcome: "accepted" }] },
      { text: `later ${MARK}`, status: "scheduled", deliveryAttempts: [] },
    ]);
    const exported = [
      "contact",
      "contact_address",
      "contact_tag",
      "conversation",
      "decision",
      "event",
      "rule_match",
      "timer",
    ];
    for (const [table] of Object.entries(await tablesWith(contactId)))
      expect([...exported, ...Object.keys(NOT_EXPORTED)]).toContain(table);
    const { body } = await gateway.graphql(
      "query ($id: ID!) { exportContact(id: $id, first: 0) { totalCount } }",
      { id: contactId },
    );
    expect(body.data.exportContact.totalCount).toBe(all.length);
  });

  test("records of different contacts have different IDs", async () => {
    const other = await addContact(gateway, { agentId, ref: "other", tags: ["vip"] });
    const query = "query ($id: ID!) { exportContact(id: $id, first: 100) { nodes { id } } }";
    const ids: string[] = [];
    for (const id of [contactId, other]) {
      const { body } = await gateway.graphql(query, { id });
      ids.push(...body.data.exportContact.nodes.map((node: { id: string }) => node.id));
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a page ends with the record that makes it large", async () => {
    const large = await addConversation(gateway, { agentId });
    await gateway.services.database.write(async (tx) => {
      const [like] = await tx.find(Message, { where: { conversationId, status: MessageStatus.delivered } });
      const rows = Array.from({ length: 120 }, (_, i) => ({
        ...(like as Message),
        ...{ id: uuid(), conversationId: large.id, sequence: i + 1, text: "x".repeat(10_000) },
      }));
      await insertAll(tx, Message, rows as Message[]);
      await tx.update(Conversation, { id: large.id }, { lastSequence: 120 });
    });
    const page = await gateway.rest("GET", `/agent/contacts/${large.contactId}/export?limit=100`);
    expect(page.body.length).toBeGreaterThan(80);
    expect(page.body.length).toBeLessThan(100);
    const all = await records(large.contactId);
    expect(all.filter(({ kind }) => kind === "message")).toHaveLength(120);
  });

  test("contacts of other agents are not found", async () => {
    const other = await addOrganization(gateway, "other-exporters");
    const theirs = await addContact(gateway, { agentId: other.agentId });
    for (const id of [theirs, uuid(), "x"]) {
      const reply = await gateway.rest("GET", `/agent/contacts/${id}/export`);
      expect([reply.status, codeOf(reply)]).toEqual([404, "not_found"]);
    }
  });

  test("after a contact's erasure, no table contains anything that the contact said", async () => {
    expect(Object.keys(await tablesWith(MARK)).length).toBeGreaterThan(4);
    expect((await gateway.rest("DELETE", `/agent/contacts/${contactId}`)).status).toBe(204);
    expect(await tablesWith(MARK)).toEqual({});
    expect(JSON.stringify(await records())).not.toContain(MARK);
  });
});

describeGateway({ strict: true }, (gateway) => {
  test("a forged cursor returns a page or is rejected, whatever the part of the export that it names", async () => {
    const contactId = await addContact(gateway, { agentId: await firstAgentId(gateway) });
    const answersTo = async (value: string) => {
      const answers = new Set<string | undefined>();
      for (let part = 0; part < 15; part += 1)
        for (const position of [`${part}/${value}`, `${part}/${value}/${value}`]) {
          const cursor = encodeCursor("contact_record", position);
          const reply = await gateway.rest("GET", `/agent/contacts/${contactId}/export?cursor=${cursor}`);
          answers.add(reply.status === 200 ? "page" : codeOf(reply));
        }
      return [...answers].sort();
    };
    for (const value of ["%", "%C3", "%00"]) expect(await answersTo(value)).toEqual(["invalid_cursor"]);
    for (const value of ["x", "-1", "9".repeat(30)])
      expect(await answersTo(value)).toEqual(["invalid_cursor", "page"]);
  });
});
