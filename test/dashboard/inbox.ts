import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { publish } from "../support/decisions";
import type { TestGateway } from "../support/gateway";
import { firstAgentId } from "../support/people";

/** IDs of the objects that the inbox pages show. */
export interface Inbox {
  contact: string;
  conversation: string;
  message: string;
  decision: string;
}

/**
 * Adds a contact with a conversation, messages and a decision, and a pet.
 * @param name part of all names, texts and addresses
 */
export async function fillInbox(gateway: TestGateway, name = "Anna Müller"): Promise<Inbox> {
  const agentId = await firstAgentId(gateway);
  await publish(gateway, agentId, {
    situations: { "order.shipped": { orderId: "string" } },
    templates: { shipped: "Order {{ situation.data.orderId }} is on its way." },
    rules: [
      {
        id: "gold",
        on: "order.shipped",
        when: ['contact.name == "nobody"', 'situation.data.orderId != ""'],
        do: [],
      },
      {
        id: `shipped-${"x".repeat(53)}`,
        on: "order.shipped",
        do: [{ send: "shipped" }, { addTags: ["shipped"] }],
      },
    ],
  });
  const contact = await addContact(gateway, {
    agentId,
    ref: name,
    name,
    attributes: { plan: name },
    addresses: [{ kind: AddressKind.local, address: name }],
  });
  // Sent as a member, so that no key is used.
  const call = async (document: string, variables: Record<string, unknown>) =>
    (await gateway.graphql(document, variables, { token: gateway.owner })).body.data;
  const { decide } = await call("mutation ($input: DecideInput!) { decide(input: $input) { id } }", {
    input: {
      agentId,
      situation: { type: "order.shipped", data: { orderId: name } },
      contact: { id: contact },
    },
  });
  const { openConversation } = await call(
    "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { conversation { id } message { id } } }",
    { input: { agentId, contact: { id: contact }, text: name.repeat(20) } },
  );
  await call("mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }", {
    input: { name, categoryId: "1", status: "available" },
  });
  return {
    contact,
    conversation: openConversation.conversation.id,
    message: openConversation.message.id,
    decision: decide.id,
  };
}
