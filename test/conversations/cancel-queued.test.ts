import { randomUUID } from "node:crypto";
import { timestamp } from "../../src/common/time";
import { insertAll } from "../../src/database/insert-all";
import { Lane } from "../../src/delivery/lane.entity";
import { ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { cancelQueued } from "../../src/features/conversations/cancel-messages";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageAuthor, MessageError, MessageStatus } from "../../src/features/messages/message.enums";
import { addConversation } from "../support/conversations";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const QUEUED = 500;

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "1" } }, (gateway) => {
  test("an opt-out cancels the first messages of a long queue, and delivery cancels the others", async () => {
    const { database, lanes } = gateway.services;
    const agentId = await firstAgentId(gateway);
    const { id: conversationId, contactId } = await addConversation(gateway, { agentId });
    const wakeAt = timestamp(3_600_000);
    const fields = { agentId, conversationId, fence: 1, createdAt: timestamp() };
    await database.write(async (tx) => {
      await tx.insert(Lane, { id: conversationId, agentId, kind: "conversation", wakeAt });
      const messages = Array.from({ length: QUEUED }, (_, i) => ({
        ...{ ...fields, id: randomUUID(), sequence: i + 1, text: `message ${i}` },
        ...{ status: MessageStatus.queued, author: MessageAuthor.agent },
      }));
      await insertAll(tx, Message, messages);
    });
    const count = (where: Partial<Pick<Message, "status" | "errorCode">>) =>
      database.read((reader) => reader.countBy(Message, { conversationId, ...(where as object) }));
    const canceledFirst = await database.write(async (tx) => {
      await tx.update(ContactAddress, { contactId }, { optedOutAt: timestamp() });
      const conversation = await tx.findOneByOrFail(Conversation, { id: conversationId });
      await cancelQueued(tx, lanes, conversation, {
        isMeant: ({ author }) => author !== MessageAuthor.system,
        errorCode: MessageError.opted_out,
      });
      return tx.countBy(Message, { conversationId, status: MessageStatus.canceled });
    });
    expect(canceledFirst).toBe(10);
    await waitUntil(async () => (await count({ status: MessageStatus.queued })) === 0);
    expect(await count({ errorCode: MessageError.opted_out })).toBe(QUEUED);
  });
});
