import { getOrCreate } from "../../../common/get-or-create";
import { groupBy } from "../../../common/group-by";
import type { Tx } from "../../../database/unit-of-work";
import { GatewayError } from "../../../errors";
import type { Effect } from "../../configuration/document/effect";
import { ConsentState } from "../../contacts/consent.entity";
import { consentTo, nameOfConsent } from "../../contacts/consents";
import { type Conversation, Handler } from "../../conversations/conversation.entity";
import { addressOn, assertInUse, latestPlace, lineOf } from "../../conversations/destination";
import type { Place } from "../../conversations/find-conversation";
import { insertConversation, lockOpen } from "../../conversations/open-conversation";
import { moveTarget } from "../../conversations/planned-change";
import { conversationQueueFull, roomIn } from "../../conversations/queue-messages";
import { MessageError } from "../../messages/message.enums";
import type { ExplanationError, LineObstacle } from "../explanation";
import { type Application, type Destination, outcomeOf, type Result, type Send } from "./application";

export type Move = Extract<Effect, { kind: "move" }>;

/** The error for a message that would be canceled before it is sent. */
const OPTED_OUT_ERROR: ExplanationError = {
  code: MessageError.opted_out,
  message: "The contact has opted out of messages to this address.",
};

const UNDELIVERABLE_ERROR: ExplanationError = {
  code: MessageError.undeliverable,
  message: "A mail server reported that the contact's address does not exist.",
};

/** Errors after which a message's next line is tried; not `conflict`, because no line may bypass a human. */
const UNREACHED: ReadonlySet<string> = new Set([
  "not_deliverable",
  "not_found",
  MessageError.opted_out,
  MessageError.undeliverable,
]);

const UNREACHED_ERROR: ExplanationError = {
  code: "not_deliverable",
  message: "None of the lines can reach the contact.",
};

/** Tries a message's lines in order; no line is chosen in a named conversation, except for a resend. */
export async function onFirstLine(
  { line, lines, resendOf }: Send,
  { participants: { contact, isNamed } }: Application,
  attempt: (line: string | null) => Promise<Result>,
): Promise<Result> {
  const isUsed = contact !== null && (!isNamed || resendOf !== undefined);
  if (!isUsed || lines === undefined) return attempt(isUsed ? line : null);
  const obstacles: LineObstacle[] = [];
  for (const line of lines) {
    const result = await attempt(line);
    if (result.error === undefined || !UNREACHED.has(result.error.code)) return { ...result, obstacles };
    obstacles.push({ line, error: result.error });
  }
  return { status: "failed", error: UNREACHED_ERROR, obstacles };
}

/** The destinations of a decision's messages: one object per conversation, to count its messages. */
export class Destinations {
  private readonly known = new Map<string, Destination>();

  /** Returns the first destination equal to the given one. */
  one(destination: Destination): Destination {
    return getOrCreate(this.known, nameOf(destination), () => destination);
  }

  /** True if moves apply to a destination: the current conversation or, without one, the first message's. */
  isMoved(destination: Destination, current: Conversation | null): boolean {
    if (current !== null) return destination.conversation === current;
    const [first = nameOf(destination)] = this.known.keys();
    return first === nameOf(destination);
  }
}

const nameOf = ({ conversation, place }: Destination): string =>
  conversation?.id ?? `${place?.line.id} ${place?.address.id}`;

/**
 * Returns a message's destination; without a contact, the conversation with the default contact.
 * @throws GatewayError `not_found` (line), `not_deliverable`, `conflict` if a human answers there
 */
export async function destinationOf(
  tx: Tx,
  { line: name = null, reuse, whileHuman, resendOf }: Partial<Send>,
  application: Application,
): Promise<Destination> {
  const { agentId, participants, defaultConversations } = application;
  const { contact, conversation: atHand, isNamed, isPreferred } = participants;
  if (contact === null) {
    const place = (await defaultConversations.lockPlaces(tx, [agentId])).get(agentId);
    return place === undefined ? { conversation: null } : join(tx, place, whileHuman);
  }
  const isGiven = isNamed && resendOf === undefined;
  const latest = reuse !== undefined && !isGiven ? await latestPlace(tx, contact) : undefined;
  if (latest !== undefined) {
    const isAtHand = latest.line.id === atHand?.lineId && latest.address.id === atHand.addressId;
    return isAtHand ? { conversation: atHand } : join(tx, latest, whileHuman);
  }
  if (atHand !== null && (isGiven || name === null)) return { conversation: atHand };
  const line = await lineOf(tx, agentId, name === null ? null : { name });
  if (line.id === atHand?.lineId) return { conversation: atHand };
  assertInUse(line);
  const place = { line, contact, address: await addressOn(tx, line, contact.id, isPreferred) };
  return join(tx, place, whileHuman);
}

/** Returns the error that stops a message at a destination: opt-out, bounce or consent; else undefined. */
export async function blockOf(
  tx: Tx,
  { topic }: Send,
  { conversation, place }: Destination,
  { participants, ...application }: Application,
): Promise<ExplanationError | undefined> {
  const isCurrent = place === undefined && conversation === participants.conversation;
  const isOptedOut = isCurrent ? application.isOptedOut : place?.address.optedOutAt != null;
  const isUndeliverable = isCurrent ? application.isUndeliverable : place?.address.undeliverableAt != null;
  if (isOptedOut) return OPTED_OUT_ERROR;
  if (isUndeliverable) return UNDELIVERABLE_ERROR;
  return objectionTo(tx, topic, place?.address.id ?? conversation?.addressId, application);
}

/**
 * Returns an error if the contact has opted out of a topic at an address, or has not opted in to a topic that requires
 * it; otherwise undefined.
 */
async function objectionTo(
  tx: Tx,
  topic: string | undefined,
  addressId: string | undefined,
  { policy }: Pick<Application, "policy">,
): Promise<ExplanationError | undefined> {
  if (topic === undefined) return undefined;
  const state = addressId === undefined ? undefined : await consentTo(tx, nameOfConsent(addressId, topic));
  const error = (message: string) => ({ code: MessageError.opted_out, message });
  if (state === ConsentState.out)
    return error(`The contact has opted out of the topic "${topic}" at this address.`);
  return state === undefined && policy?.isOptIn(topic)
    ? error(`The contact has not opted in to the topic "${topic}" at this address.`)
    : undefined;
}

/** Returns a destination after the moves that succeed. Only its place differs: nothing has moved yet. */
export async function afterMoves(
  tx: Tx,
  destination: Destination,
  moves: readonly Move[],
  { agentId, participants: { contact } }: Application,
): Promise<Destination> {
  let moved = destination;
  for (const { line: name } of moves) {
    const { conversation, place } = moved;
    const addressId = place?.address.id ?? conversation?.addressId;
    const lineId = place?.line.id ?? conversation?.lineId;
    if (contact === null || addressId === undefined || lineId === undefined) break;
    const from = { id: conversation?.id, agentId, contactId: contact.id, addressId, lineId };
    const result = await outcomeOf(async () => {
      const target = await moveTarget(tx, from, { name });
      return { status: "done", destination: target && { conversation, place: { ...target, contact } } };
    });
    moved = result.destination ?? moved;
  }
  return moved;
}

/** Opens a destination's conversation if necessary. */
export async function open(tx: Tx, destination: Destination): Promise<Destination> {
  const { conversation, place } = destination;
  if (conversation === null && place !== undefined) {
    destination.opening ??= insertConversation(tx, place);
    destination.conversation = await destination.opening;
  }
  return destination;
}

/** @throws GatewayError `queue_full` */
export async function assertRoomFor(
  tx: Tx,
  sends: readonly Destination[],
  { schedules, canceled }: { schedules: boolean; canceled?: ReadonlyMap<string, ReadonlySet<string>> },
): Promise<void> {
  for (const [{ conversation }, { length }] of groupBy(sends, (each) => each)) {
    if (conversation === null) continue;
    const freed = tx.isDryRun ? (canceled?.get(conversation.id)?.size ?? 0) : 0;
    if ((await roomIn(tx, conversation, length, { schedules, canceled: freed })) < length)
      throw conversationQueueFull();
  }
}

/**
 * Returns the destination for a line and address; its conversation is the open one, or null if there is none.
 * @throws GatewayError `conflict` if a human handles the conversation
 */
async function join(tx: Tx, place: Place, whileHuman = false): Promise<Destination> {
  const conversation = await lockOpen(tx, place);
  const isHuman =
    conversation === null ? place.contact.handedOffAt !== null : conversation.handler === Handler.human;
  if (whileHuman || !isHuman) return { conversation, place };
  const where = conversation === null ? "to the contact" : `in the conversation ${conversation.id}`;
  throw new GatewayError("conflict", `A human is answering ${where}.`);
}

/** Returns a contact's open conversations, as the same objects as in `sends` if they occur there. */
export function allOpen(
  conversation: Conversation | null,
  sends: readonly Destination[],
  others: ReadonlyMap<string, Conversation>,
): Conversation[] {
  const known = [conversation, ...sends.map((each) => each.conversation)].flatMap((each) => each ?? []);
  return [...new Map([...others.values(), ...known.reverse()].map((each) => [each.id, each])).values()];
}
