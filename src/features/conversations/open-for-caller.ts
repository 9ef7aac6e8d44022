import { assertSignedIn } from "../../auth/assert-signed-in";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { scopedAgentId } from "../agents/agent-scope";
import { assertKeysAccepted } from "../api-keys/assert-accepted";
import type { Address } from "../contacts/addresses";
import { normalized } from "../contacts/contact-addresses";
import { type AgentQueues, acceptedAs } from "../messages/agent-queues";
import { asAccepted, laterTime } from "../messages/insert-messages";
import { MESSAGE_ORDER, Message } from "../messages/message.entity";
import { Conversation } from "./conversation.entity";
import type { OpenConversationInput, OpenedConversation } from "./conversation.inputs";
import { addressOn, assertInUse, lineOf, lockReferenced } from "./destination";
import { idempotencyScope } from "./find-conversation";
import type { MessageQueue } from "./message-queue";
import { openConversation } from "./open-conversation";

interface Services {
  queue: MessageQueue;
  queues: AgentQueues;
}

/**
 * Opens a conversation for a caller, or finds the open one, and queues a first message in it.
 * @throws GatewayError see `ConversationService.open`
 */
export async function openForCaller(
  tx: Tx,
  context: RequestContext,
  input: OpenConversationInput,
  services: Services,
): Promise<OpenedConversation> {
  const { contact, line, text, sendAt, idempotencyKey } = input;
  await assertSignedIn(tx, context, { permission: Permission.conversations_write });
  const agentId = await scopedAgentId(tx, context, input.agentId, "input.agentId");
  const [address] = contact.address == null ? [] : normalized([contact.address]);
  return once(tx, {
    scope: idempotencyScope("openConversation", context),
    answer: context.answer,
    key: idempotencyKey,
    request: {
      agentId,
      contactId: contact.id,
      ref: contact.ref,
      kind: address?.kind,
      address: address?.address,
      lineId: line?.id,
      line: line?.name,
      text,
      sendAt: sendAt?.toISOString(),
    },
    create: () => open(tx, context, { ...input, agentId }, address, services),
    repeat: (id) => repeated(tx, id, text != null),
    // The result is the ID of the added row, which tells a retry whether the request opened the conversation.
    idOf: ({ conversation, created, message }) =>
      created ? conversation.id : (message?.id ?? unopenedId(conversation)),
  });
}

async function open(
  tx: Tx,
  context: RequestContext,
  input: OpenConversationInput & { agentId: string },
  preferred: Address | undefined,
  { queue, queues }: Services,
): Promise<OpenedConversation> {
  const { agentId, text } = input;
  const contact = await lockReferenced(tx, context, agentId, input.contact);
  const line = await lineOf(tx, agentId, input.line);
  assertInUse(line);
  const isPreferred = (each: Address) => each.kind === preferred?.kind && each.address === preferred.address;
  const address = await addressOn(tx, line, contact.id, isPreferred);
  const { conversation, created } = await openConversation(tx, { line, contact, address });
  const { caller } = context;
  if (text == null) {
    await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
    if (caller.kind === "agent") await assertKeysAccepted(tx, [caller.key.id]);
    return { conversation, created, message: null };
  }
  const sendAt = laterTime(input.sendAt);
  const hasRoom = await queues.take(agentId, { status: acceptedAs({ sendAt }) });
  const [message] = await queue.queue(tx, [{ context, conversation, text, sendAt, hasRoom }]);
  // Rolls back the transaction, so that the conversation is not opened without the message.
  if (message instanceof GatewayError) throw message;
  return { conversation, created, message: message ?? null };
}

/**
 * Returns the result to store for a request that opened and added nothing: the conversation's ID in a format
 * that no row's ID has.
 */
const unopenedId = ({ id }: Conversation): string => id.replaceAll("-", "_");

/**
 * Returns the response to a retry: the current conversation, and the message as accepted.
 * @param id ID of the new conversation, of the message queued in an open one, or from `unopenedId`
 */
async function repeated(tx: Tx, id: string, hasMessage: boolean): Promise<OpenedConversation> {
  const opened = await tx.findOneBy(Conversation, { id });
  const message = !hasMessage
    ? null
    : await tx.findOneOrFail(Message, {
        where: opened === null ? { id } : { conversationId: id },
        order: { id: "ASC" },
      });
  const conversation =
    opened ??
    (await tx.findOneByOrFail(Conversation, { id: message?.conversationId ?? id.replaceAll("_", "-") }));
  return { conversation, created: opened !== null, message: message && asAccepted(message) };
}
