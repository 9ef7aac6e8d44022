import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { OpenConversationInput } from "../../src/features/conversations/conversation.inputs";
import { addContact } from "./contacts";
import type { Call, Reply, TestGateway } from "./gateway";
import { operatorOfAgent } from "./people";

const CONVERSATION =
  "id contactId line: lineName address state handler version lastSequence createdAt updatedAt";
const CHANGE = `conversation { ${CONVERSATION} } canceled carried inFlight`;

/** Converts the name of a line to a reference; returns other values unchanged. */
const lineNamed = (line: unknown) => (typeof line === "string" ? { name: line } : line);

/**
 * Opens an agent's conversation with a new contact through the service.
 * @returns the IDs of both
 */
export async function addConversation(
  gateway: TestGateway,
  { agentId, line, address = `at ${Math.random()}` }: { agentId: string; line?: string; address?: string },
): Promise<{ id: string; contactId: string }> {
  const contactId = await addContact(gateway, {
    agentId,
    addresses: [{ kind: AddressKind.local, address }],
  });
  const input = Object.assign(new OpenConversationInput(), {
    agentId,
    contact: { id: contactId },
    line: lineNamed(line),
  });
  const context = await operatorOfAgent(gateway, agentId);
  const { conversation } = await gateway.services.conversations.open(context, input);
  return { id: conversation.id, contactId };
}

/**
 * Calls the GraphQL fields of conversations with a key, by default the first one; each call can use a different token.
 */
export function conversationClient(gateway: TestGateway, token = gateway.key) {
  const call = (query: string, variables: object, more: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables as Record<string, unknown>, { token, ...more });
  const change =
    (field: string) =>
    (id: string, args: object = {}, more?: Call) =>
      call(
        `mutation ($id: ID!, $expectedVersion: Int) {
           ${field}(input: { id: $id, expectedVersion: $expectedVersion }) { ${CHANGE} }
         }`,
        { id, ...args },
        more,
      );
  return {
    open: ({ line, message: text, ...input }: Record<string, unknown>, more?: Call) =>
      call(
        `mutation ($input: OpenConversationInput!) {
           openConversation(input: $input) { created conversation { ${CONVERSATION} } message { id status sequence } }
         }`,
        { input: { ...input, text, line: lineNamed(line) } },
        more,
      ),
    find: (id: string, more?: Call) =>
      call(`query ($id: ID!) { conversation(id: $id) { ${CONVERSATION} } }`, { id }, more),
    list: (args: object, more?: Call) =>
      call(
        `query ($first: Int, $after: String, $agentId: ID, $state: ConversationState, $handler: Handler, $contactId: ID) {
           conversations(first: $first, after: $after, agentId: $agentId, state: $state, handler: $handler, contactId: $contactId) {
             nodes { ${CONVERSATION} } pageInfo { hasNextPage endCursor }
           }
         }`,
        args,
        more,
      ),
    messages: (id: string, args: object = {}, more?: Call) =>
      call(
        `query ($id: ID!, $first: Int, $after: String) {
           conversationMessages(id: $id, first: $first, after: $after) {
             nodes { id message: text status sequence author direction heldReason errorCode lineId } pageInfo { hasNextPage endCursor }
           }
         }`,
        { id, ...args },
        more,
      ),
    send: (id: string, message: unknown, more: Call & { idempotencyKey?: string } = {}) => {
      const { idempotencyKey, ...rest } = more;
      return call(
        `mutation ($id: ID!, $message: String!, $idempotencyKey: String) {
           sendToConversation(input: { id: $id, text: $message, idempotencyKey: $idempotencyKey }) {
             id status sequence author conversationId
           }
         }`,
        { id, message, idempotencyKey },
        rest,
      );
    },
    move: (id: string, { line, ...args }: Record<string, unknown>, more?: Call) =>
      call(
        `mutation ($input: MoveConversationInput!) { moveConversation(input: $input) { ${CHANGE} } }`,
        { input: { id, line: lineNamed(line), ...args } },
        more,
      ),
    handOff: change("handOffConversation"),
    release: change("releaseConversation"),
    close: change("closeConversation"),
  };
}
