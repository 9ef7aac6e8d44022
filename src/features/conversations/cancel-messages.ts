import { In } from "typeorm";
import { timestamp } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import type { Lanes } from "../../delivery/lanes";
import { recordEvents } from "../events/record-events";
import { IS_UNPLACED, IS_UNSENT, Message } from "../messages/message.entity";
import { MessageError, MessageStatus } from "../messages/message.enums";
import { MESSAGES } from "../messages/message.metrics";
import { statusEvent } from "../messages/message-events";
import { Conversation } from "./conversation.entity";
import type { PlannedChange } from "./planned-change";
import { resumeWait, sequencesOf, takePlaces } from "./queue-messages";

/** Cancels a locked conversation's queued, scheduled and proposed messages without changing its version. */
export async function cancelQueued(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation,
  { isMeant, errorCode }: NonNullable<PlannedChange["cancel"]>,
): Promise<void> {
  const { id } = conversation;
  // Waits for any delivery that has locked the conversation's lane.
  await lanes.lock(tx, id);
  const { waiting } = await unsent(tx, id);
  await cancelAll(tx, lanes, conversation, waiting.filter(isMeant), errorCode);
  // Wakes the lane, because later messages may have been waiting for the canceled messages.
  await lanes.wake(tx, [id]);
}

/**
 * Cancels waiting messages; queued ones' lane must be locked, and the others are placed in the conversation.
 * If they were answers to the contact, the contact's wait resumes.
 * @param conversation the locked conversation; null for a standalone message
 * @param more additional columns to set
 */
export async function cancelAll(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation | null,
  messages: readonly Message[],
  errorCode: MessageError,
  more: Partial<Pick<Message, "errorText" | "reviewedAt">> = {},
): Promise<void> {
  if (messages.length === 0) return;
  const unplaced = messages.filter(({ status }) => status !== MessageStatus.queued);
  const change = {
    status: MessageStatus.canceled,
    errorCode,
    heldReason: null,
    notBefore: null,
    scheduledReason: null,
    scheduledBy: null,
    updatedAt: timestamp(),
    ...more,
  };
  await tx.update(Message, { id: In(idsOf(messages)) }, change);
  for (const message of messages) Object.assign(message, change);
  if (conversation !== null && ((await resumeWait(tx, conversation, messages)) || unplaced.length > 0)) {
    takePlaces(conversation, unplaced);
    await changeTogether(tx, [
      ...updatesOf(tx, Message, unplaced, ["sequence"]),
      ...sequencesOf(tx, [conversation]),
      ...lanes.ending(idsOf(unplaced)),
    ]);
  }
  recordEvents(tx, messages.map(statusEvent));
  lanes.observing(tx).count(MESSAGES, [MessageStatus.canceled], messages.length);
}

/** Returns a conversation's unsent messages in order, at most one being sent; unplaced ones are last. */
export async function unsent(
  tx: Tx,
  conversationId: string,
): Promise<{ waiting: Message[]; sending: Message | undefined }> {
  const those = (condition: string) =>
    tx.createQueryBuilder(Message, "message").where({ conversationId }).andWhere(`message.${condition}`);
  const unsent = await those(IS_UNSENT).orderBy("message.sequence").getMany();
  const unplaced = await those(IS_UNPLACED).orderBy("message.id").getMany();
  const isQueued = ({ status }: Message) => status === MessageStatus.queued;
  return {
    waiting: [...unsent.filter(isQueued), ...unplaced],
    sending: unsent.find((message) => !isQueued(message)),
  };
}

/** Returns the IDs of the given conversations that have unsent messages. */
export async function withUnsent(tx: Tx, conversationIds: readonly string[]): Promise<ReadonlySet<string>> {
  const these = `conversation_id in ${placeholders(1, conversationIds.length)}`;
  const rows: { id: string }[] = await tx.query(
    [IS_UNSENT, IS_UNPLACED]
      .map((condition) => `select conversation_id as id from message where ${these} and ${condition}`)
      .join(" union "),
    [...conversationIds],
  );
  return new Set(rows.map(({ id }) => id));
}

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
