import { type Timestamp, timestampOf } from "../../common/time";
import { AttemptOutcome } from "../../delivery/driver";
import type { Contact } from "../contacts/contact.entity";
import { AddressKind, type ContactAddress } from "../contacts/contact-address.entity";
import { type Conversation, ConversationState, Handler } from "../conversations/conversation.entity";
import { addressKindOf } from "../lines/address-kind";
import { type Line, LineKind } from "../lines/line.entity";
import type { DeliveryAttempt } from "../messages/delivery-attempt.entity";
import type { Message } from "../messages/message.entity";
import { MessageAuthor, MessageDirection, MessageError, MessageStatus } from "../messages/message.enums";

const FIRST_NAMES = ["Ada", "Ben", "Chloé", "Dmitri", "Elif", "Femi", "Grace", "Hiro", "Inés", "Jonas"];
const LAST_NAMES = ["Abebe", "Brun", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Haddad", "Ito"];
const LOCALES = ["en-US", "de-CH", "fr-FR", "pt-BR"];

/** Sample texts of different lengths. */
const TEXTS = [
  "Thanks!",
  "Your order is on its way.",
  "Hello, your appointment is tomorrow at 10:30. Please reply if you cannot come.",
  "We have received your request and will get back to you within one working day. If it is urgent, call us.",
];

/** A row to insert. Columns that are null in all sample rows are left out. */
type Row<Entity> = Partial<Entity> & {
  [Name in keyof Entity as Entity[Name] extends NonNullable<Entity[Name]> ? Name : never]: Entity[Name];
};

/** Properties that all sample rows share. */
export interface SampleContext {
  agentId: string;
  /** The line for all sample conversations. */
  line: Line;
  now: Timestamp;
}

/** Returns the `ref` of the sample contact with this number. */
export const sampleRef = (number: number): string => `sample-${String(number).padStart(9, "0")}`;

export const sampleContact = (
  { agentId, now }: SampleContext,
  id: string,
  number: number,
): Row<Contact> & Pick<Contact, "ref" | "name"> => ({
  id,
  agentId,
  ref: sampleRef(number),
  name: `${item(FIRST_NAMES, number)} ${item(LAST_NAMES, Math.floor(number / FIRST_NAMES.length))}`,
  locale: item(LOCALES, number),
  timezone: "Europe/Zurich",
  attributes: { number },
  version: 1,
  createdAt: now,
  updatedAt: now,
  hasTimers: false,
  touchedAt: now,
});

/** Returns a sample contact's tags: shared by all contacts, by every hundredth, and by a few. */
export const sampleTags = (number: number): string[] => [
  "sample",
  `group-${number % 100}`,
  ...(number % 10_000 === 0 ? ["rare"] : []),
];

/** Returns a sample contact's address, at which messages never reach a person. */
export function sampleAddress(
  { agentId, line }: SampleContext,
  id: string,
  contactId: string,
  number: number,
): Row<ContactAddress> {
  const kind = addressKindOf(line);
  const addresses: Readonly<Record<AddressKind, string>> = {
    [AddressKind.local]: sampleRef(number),
    [AddressKind.other]: sampleRef(number),
    [AddressKind.email]: `${sampleRef(number)}@example.com`,
    // No country uses this calling code.
    [AddressKind.phone]: `+999${String(number).padStart(12, "0")}`,
  };
  return {
    id,
    agentId,
    contactId,
    kind,
    address: addresses[kind],
  };
}

export const sampleConversation = (
  { agentId, line, now }: SampleContext,
  place: Pick<Conversation, "id" | "contactId" | "addressId">,
  { messages, isOpen }: { messages: number; isOpen: boolean },
): Row<Conversation> => ({
  ...place,
  agentId,
  lineId: line.id,
  state: isOpen ? ConversationState.open : ConversationState.closed,
  handler: Handler.agent,
  version: isOpen ? 1 : 2,
  lastSequence: messages,
  createdAt: now,
  updatedAt: now,
});

type SentMessage = Pick<Message, "id" | "attempts" | "lineId" | "createdAt">;

/** Returns a sample message, which is queued or ended; `number` determines how it ended. */
export function sampleMessage(
  { agentId, line, now }: SampleContext,
  place: Pick<Message, "id" | "conversationId" | "sequence">,
  { number, isQueued }: { number: number; isQueued: boolean },
): Row<Message> & SentMessage {
  const status = isQueued ? MessageStatus.queued : statusOf(number, line);
  const isSent = SENT.includes(status);
  return {
    ...place,
    agentId,
    text: item(TEXTS, number),
    status,
    createdAt: now,
    direction: MessageDirection.outbound,
    author: MessageAuthor.api,
    fence: place.conversationId === null ? null : 1,
    lineId: isSent ? line.id : null,
    attempts: isSent ? 1 : 0,
    isUrgent: false,
    errorCode: ERRORS[status] ?? null,
    providerId: isSent && line.kind !== LineKind.local ? `sample-${place.id}` : null,
    expiresAt: timestampOf(Date.parse(now) + line.expireAfterSeconds * 1000),
    sentAt: isSent ? now : null,
    deliveredAt: isSent && status !== MessageStatus.sent ? now : null,
    readAt: status === MessageStatus.read ? now : null,
    updatedAt: isQueued ? null : now,
  };
}

/** Returns the attempts to send a sample message: one if the message was sent. */
export const sampleAttempts = ({
  id: messageId,
  attempts,
  lineId,
  createdAt,
}: SentMessage): Row<DeliveryAttempt>[] =>
  attempts === 0
    ? []
    : [
        {
          messageId,
          number: attempts,
          lineId,
          startedAt: createdAt,
          endedAt: createdAt,
          outcome: AttemptOutcome.accepted,
        },
      ];

const SENT: readonly MessageStatus[] = [MessageStatus.sent, MessageStatus.delivered, MessageStatus.read];

const ERRORS: Partial<Record<MessageStatus, MessageError>> = {
  [MessageStatus.canceled]: MessageError.canceled,
  [MessageStatus.failed]: MessageError.expired,
};

/** Of a hundred messages, one is canceled and one fails; only on local lines, all others are delivered. */
function statusOf(number: number, { kind }: Line): MessageStatus {
  const nth = number % 100;
  if (nth === 98) return MessageStatus.canceled;
  if (nth === 99) return MessageStatus.failed;
  if (kind === LineKind.local || nth < 50) return MessageStatus.delivered;
  return nth < 75 ? MessageStatus.read : MessageStatus.sent;
}

const item = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
