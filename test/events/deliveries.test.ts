import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { addContact, contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient } from "../support/decisions";
import { addWebhookLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";

const DELIVERS = { env: { DELIVERY_WORKERS: "8", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } };

interface Told {
  type: string;
  subject: string;
  data: Record<string, unknown>;
}

describeGateway({ engine: "any", ...DELIVERS }, (gateway) => {
  let receiver: Receiver;
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    receiver = await Receiver.start();
  });
  afterAll(() => receiver.close());

  /** Returns all events so far. */
  async function events(): Promise<Told[]> {
    const all: Told[] = [];
    for (let cursor = "0"; ; ) {
      const { body } = await gateway.rest("GET", `/agent/events?limit=100&cursor=${cursor}`);
      all.push(...body);
      if (body.length < 100) return all;
      cursor = body.at(-1).position;
    }
  }
  /**
   * Waits until a message has an event of a type.
   * @returns the types of all events about it
   */
  async function typesUntil(id: string, type: string): Promise<string[]> {
    for (;;) {
      const types = (await events()).filter(({ data }) => data.id === id).map((event) => event.type);
      if (types.includes(type)) return types;
    }
  }
  /**
   * Opens a conversation with a new contact, on a line or on the default one.
   * @returns the ID of its message
   */
  async function say(message: string, line?: string): Promise<string> {
    const kind = line === undefined ? AddressKind.local : AddressKind.phone;
    const address = line === undefined ? message : `+49151${String(Math.random()).slice(2, 10)}`;
    const contactId = await addContact(gateway, { agentId, addresses: [{ kind, address }] });
    const { body } = await conversationClient(gateway).open({ contact: { id: contactId }, line, message });
    return body.data.openConversation.message.id;
  }

  test("each state of a message has one event, in order", async () => {
    const { id: lineId, name } = await addWebhookLine(gateway, { agentId, url: receiver.url() });
    const local = await say("local");
    expect(await typesUntil(local, "message.delivered")).toEqual(["message.queued", "message.delivered"]);

    const read = await say("to be read", name);
    await typesUntil(read, "message.sent");
    const { receipts } = gateway.services;
    for (const status of [MessageStatus.read, MessageStatus.delivered, MessageStatus.read] as const)
      await receipts.apply({ lineId, message: { id: read }, status });
    expect(await typesUntil(read, "message.read")).toEqual([
      "message.queued",
      "message.sent",
      "message.read",
    ]);

    receiver.reaction = (response) => response.writeHead(400).end();
    const rejected = await say("rejected", name);
    expect(await typesUntil(rejected, "message.failed")).toEqual(["message.queued", "message.failed"]);
    const told = (await events()).find(({ type, data }) => type === "message.failed" && data.id === rejected);
    expect(told?.data).toEqual({
      id: rejected,
      conversationId: told?.subject.replace("conversation:", ""),
      sequence: 1,
      status: "failed",
      author: "api",
      decisionId: null,
      lineId,
      errorCode: "rejected",
      providerId: null,
    });
    receiver.reaction = (response) => response.end();
  });

  test("the messages of a conversation have events in their order", async () => {
    const { name } = await addWebhookLine(gateway, { agentId, url: receiver.url() });
    await say("first", name);
    const { subject } = (await events()).at(-1) as Told;
    const id = subject.replace("conversation:", "");
    const sent: string[] = [];
    for (const message of ["second", "third", "fourth", "fifth"])
      sent.push((await conversationClient(gateway).send(id, message)).body.data.sendToConversation.id);
    await typesUntil(sent.at(-1) as string, "message.sent");
    const ofConversation = (await events()).filter((event) => event.subject === subject);
    for (const type of ["message.queued", "message.sent"]) {
      const sequences = ofConversation
        .filter((event) => event.type === type)
        .map(({ data }) => data.sequence);
      expect(sequences).toEqual([1, 2, 3, 4, 5]);
    }
  });

  test("every event matches the webhooks section of the OpenAPI document", async () => {
    const contacts = contactClient(gateway);
    const { body } = await contacts.put({ ref: "described" });
    const { id } = body.data.putContact.contact;
    await contacts.addTags(id, ["vip"]);
    await decisionClient(gateway).decide({ type: "any", contact: { id } });
    const line = await addWebhookLine(gateway, { agentId });
    await lineClient(gateway).pause(line.id);
    await lineClient(gateway).resume(line.id);
    await typesUntil(await say("described"), "message.delivered");

    const document = (await gateway.rest("GET", "/openapi.json", { token: null })).body;
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ ...document, $id: "openapi" });
    const told = await events();
    for (const event of told) {
      const path = `/webhooks/${event.type}/post/requestBody/content/application~1json/schema`;
      const validate = ajv.compile({ $ref: `openapi#${path}` });
      expect([event.type, validate(event), validate.errors]).toEqual([event.type, true, null]);
      expect(Object.keys(event.data)).toEqual(Object.keys(dataOf(document, event.type).properties));
    }
    expect(new Set(told.map(({ type }) => type)).size).toBeGreaterThanOrEqual(10);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
function dataOf(document: any, type: string): { properties: object } {
  const { schema } = document.webhooks[type].post.requestBody.content["application/json"];
  return schema.allOf[1].properties.data;
}
