import { timestamp } from "../../src/common/time";
import { contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { type DecisionBody, decisionClient, publish } from "../support/decisions";
import { addWebhookLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const DOCUMENT = {
  situations: { shipped: {}, urgent: {} },
  templates: { text: "It is on its way" },
  rules: [
    { id: "urgent", on: "urgent", do: [{ send: "text", reuse: "latest" }], whileHuman: true },
    { id: "shipped", on: "shipped", do: [{ send: "text", reuse: "latest" }] },
  ],
};

/** `reuse` sends to the conversation with the latest activity. */
describeGateway({ env: { DELIVERY_WORKERS: "0" }, engine: "any" }, (gateway) => {
  let api: ReturnType<typeof decisionClient>;
  const conversations = conversationClient(gateway);
  beforeAll(async () => {
    const agentId = await firstAgentId(gateway);
    api = decisionClient(gateway);
    for (const name of ["sms", "calls"]) await addWebhookLine(gateway, { agentId, name });
    await publish(gateway, agentId, DOCUMENT);
  });

  let number = 0;
  /** Adds a contact that each line reaches. */
  const person = async () => {
    number += 1;
    const addresses = [
      { kind: "local", address: `person ${number}` },
      { kind: "phone", address: `+4915112345${number}` },
    ];
    return (await contactClient(gateway).put({ addresses })).body.data.putContact.contact.id as string;
  };
  const open = async (id: string, line?: string) =>
    (await conversations.open({ contact: { id }, line })).body.data.openConversation.conversation
      .id as string;
  /** Returns the line that the explanation names, and the texts in each conversation. */
  const sent = async (about: DecisionBody, ...ids: readonly string[]) => {
    const { body } = await api.decide({ type: "shipped", ...about });
    const [{ status, line, error }] = body.explanation.effects;
    const counts = await Promise.all(
      ids.map(
        async (id) =>
          (await conversations.messages(id)).body.data.conversationMessages.nodes.length as number,
      ),
    );
    return [status, line ?? error?.code, ...counts];
  };

  test("a message is sent in the open conversation with the latest activity, whatever its line", async () => {
    const id = await person();
    const about = { contact: { id } };
    const [main, sms] = [await open(id), await open(id, "sms")];
    await conversations.send(main, "Hello");
    await conversations.send(sms, "Hello");
    expect(await sent({ ...about, dryRun: true }, main, sms)).toEqual(["done", "sms", 1, 1]);
    expect(await sent(about, main, sms)).toEqual(["done", "sms", 1, 2]);
    await conversations.send(main, "Hello again");
    expect(await sent(about, main, sms)).toEqual(["done", "main", 3, 2]);
    expect(await sent({ conversationId: sms }, main, sms)).toEqual(["done", undefined, 3, 3]);
    await conversations.close(sms);
    expect(await sent(about, main, sms)).toEqual(["done", "main", 4, 3]);
  });

  test("without an open conversation, one is opened on the default line", async () => {
    const id = await person();
    expect(await sent({ contact: { id } })).toEqual(["done", "main"]);
    const { body } = await conversations.list({ contactId: id });
    expect(body.data.conversations.nodes).toMatchObject([{ line: "main", lastSequence: 1 }]);
  });

  test("a conversation that does not reach the contact is skipped, but a conversation with a human is not", async () => {
    const id = await person();
    const about = { contact: { id } };
    const [main, sms] = [await open(id), await open(id, "sms")];
    const optOut = (optedOutAt: ReturnType<typeof timestamp> | null) =>
      gateway.services.database.write((tx) =>
        tx.query("update contact_address set opted_out_at = $1 where contact_id = $2 and kind = 'phone'", [
          optedOutAt,
          id,
        ]),
      );
    await conversations.send(sms, "Hello");
    await optOut(timestamp());
    expect(await sent(about, main, sms)).toEqual(["done", "main", 1, 1]);
    await optOut(null);
    await conversations.send(sms, "Hello");
    await conversations.handOff(sms);
    expect(await sent(about, main, sms)).toEqual(["failed", "conflict", 1, 2]);
    expect(await sent({ type: "urgent", ...about }, main, sms)).toEqual(["done", "sms", 1, 3]);
  });
});
