import type { RequestContext } from "../../auth/context";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError } from "../../errors";
import type { ContactPolicy } from "../configuration/document/contact-policy";
import type { Effect } from "../configuration/document/evaluate";
import type { Consents } from "../contacts/consents";
import { changeKnownTags, tagsOf } from "../contacts/tag-changes";
import { type Conversation, Handler } from "../conversations/conversation.entity";
import { PendingMessages } from "../conversations/conversation.inputs";
import {
  type PlannedChange,
  planClose,
  planHandoff,
  planMove,
  storeAudited,
} from "../conversations/conversation-changes";
import type { DefaultConversations } from "../conversations/default-conversations";
import { addressOn, assertInUse, lineOf } from "../conversations/destination";
import { assertOpen, type Place } from "../conversations/find-conversation";
import { insertConversation, lockOpen } from "../conversations/open-conversation";
import {
  conversationQueueFull,
  type MessageToQueue,
  queueMessages,
  roomIn,
} from "../conversations/queue-messages";
import { type AgentQueues, assertRoom } from "../messages/agent-queues";
import { Message, MessageAuthor, MessageError, ScheduledReason } from "../messages/message.entity";
import type { Timer } from "../timers/timer.entity";
import { WaitingTimers } from "../timers/waiting-timers";
import type {
  EffectExplanation,
  EffectStatus,
  ExplanationError,
  GateExplanation,
  LineObstacle,
  TimerExplanation,
} from "./explanation";
import { isLoop, LOOP_ERROR } from "./loop";
import type { Participants } from "./participants";
import { isHandedOff } from "./plan";
import type { WaveUnit } from "./wave";

/** The services that apply effects. */
export interface Dependencies {
  lanes: Lanes;
  consents: Consents;
  queues: AgentQueues;
  defaultConversations: DefaultConversations;
}

/** A decision whose effects are applied in one transaction. */
export interface Application extends Dependencies {
  context: RequestContext;
  agentId: string;
  decisionId: string;
  participants: Participants;
  /** The result of asking the model, if it was asked. */
  asked?: Pick<Result, "status" | "error"> | undefined;
  /** True if the decision answers a contact's message, so that its messages count as automatic answers. */
  isAnswer: boolean;
  gates: readonly GateExplanation[];
  /** True if the contact has opted out of messages in the conversation. */
  isOptedOut: boolean;
  /** True if the address of the conversation is undeliverable. */
  isUndeliverable: boolean;
  /** True if a timer handed over the situation. */
  isTimed: boolean;
  /** The policy for the messages, and the contact's time zone; undefined if they answer one, or without a contact. */
  bound: { policy: ContactPolicy; timezone: string | null } | undefined;
  now: Timestamp;
  /** The contact's tags, once they are read. */
  tags?: readonly string[] | undefined;
}

/** Min time until a timer is due that was set by the decision of another timer (ms), so that no two set each other endlessly. */
const MIN_CHAINED_MS = 60_000;

/** The results of a decision's effects. */
export interface Applied {
  /** In the order of the effects. */
  effects: EffectExplanation[];
  /** The conversation after the effects. */
  conversation: Conversation | null;
}

type Send = Extract<Effect, { kind: "send" }>;
type Change = Exclude<Effect, { kind: "send" | "ask" }>;
type TimerChange = Extract<Effect, { kind: "later" | "cancelTimer" }>;

/** The result of one effect. */
export interface Result {
  status: EffectStatus;
  error?: ExplanationError;
  /** The destination of a message to send. */
  destination?: Destination;
  /** The line named by the message. */
  line?: string | null;
  obstacles?: LineObstacle[];
  /** The contact's address in the current conversation, or else in the message's own, before any move. */
  addressId?: string | undefined;
  /** When to queue the message, if not now, and the part of the policy that says so, if it does. */
  sendAt?: Timestamp | undefined;
  heldBy?: MessageToQueue["heldBy"];
  /** The timer that was set or canceled. */
  timer?: (Pick<Timer, "dueAt"> & Partial<Pick<Timer, "id">>) | undefined;
}

/** Why an effect is held back while a human answers. */
const HANDED_OFF_ERROR: ExplanationError = {
  code: "handed_off",
  message: "A human answers in the conversation, and the rule does not apply meanwhile.",
};

/** Why a message fails that would be canceled when it is its turn. */
const OPTED_OUT_ERROR: ExplanationError = {
  code: MessageError.opted_out,
  message: "The contact has opted out of messages to this address.",
};

const UNDELIVERABLE_ERROR: ExplanationError = {
  code: MessageError.undeliverable,
  message: "A mail server reported that the contact's address does not exist.",
};

/** Errors of a line after which the next one is tried; a human who answers is not bypassed on another line. */
const UNREACHED: ReadonlySet<string> = new Set([
  "not_deliverable",
  "not_found",
  MessageError.opted_out,
  MessageError.undeliverable,
]);

/** Why a message fails if none of several lines reaches the contact. */
const UNREACHED_ERROR: ExplanationError = {
  code: "not_deliverable",
  message: "None of the lines reaches the contact.",
};

/** Errors that fail an effect but not the rest of the decision. */
const FAILURES: ReadonlySet<string> = new Set(["not_deliverable", "not_found", "conflict", "limit_reached"]);

/**
 * Applies the effects of a decision. Opens the conversations of its messages first and queues the messages last, so that
 * the other effects apply to them: they are sent on the line that the conversation was moved to, even if it was handed
 * off or closed. A dry run does all of it in memory.
 * @param unit passed once the locks are known; before that, nothing is stored
 * @throws GatewayError `queue_full`
 */
export async function applyEffects(
  tx: Tx,
  effects: readonly Effect[],
  application: Application,
  unit: WaveUnit,
): Promise<Applied> {
  const results = effects.map((effect) => resultOf(effect, application.gates));
  const { participants } = application;
  const destinations = new Destinations();
  const move = effects.find(({ kind }, i) => kind === "move" && results[i] === undefined);
  for (const [i, effect] of effects.entries()) {
    if (results[i] !== undefined || effect.kind !== "send") continue;
    results[i] = await onFirstLine(effect, application, (line) =>
      outcomeOf(async () => {
        const destination = await destinationOf(tx, { ...effect, line }, application);
        const error = blockOf(destination, application);
        if (error !== undefined && !(await leadsToAccepted(tx, move, application)))
          return { status: "failed", error };
        return { status: "done", destination: destinations.one(destination), line };
      }),
    );
  }
  const sends = results.flatMap((result) => (result?.destination === undefined ? [] : result.destination));
  for (const [i, effect] of effects.entries())
    if (effect.kind === "send" && results[i]?.destination !== undefined)
      Object.assign(results[i], scheduleOf(effect, application));
  const schedules = results.some((result) => result?.sendAt !== undefined);
  for (const result of results) {
    if (result?.destination === undefined) continue;
    const { sendAt } = result;
    const messages = tx.isDryRun ? 0 : 1;
    assertRoom(await application.queues.take(application.agentId, { sendAt, messages }), sendAt);
  }
  // These effects cancel messages, which frees room.
  const makesRoom = effects.some(({ kind }) => kind === "move" || kind === "handoff" || kind === "close");
  if (!makesRoom) await assertRoomFor(tx, sends, { schedules });
  await unit.pass(sends.length > 0 || effects.some(({ kind }) => kind === "handoff"));
  await Promise.all(sends.map((destination) => open(tx, destination)));
  for (const result of results)
    if (result?.destination !== undefined)
      result.addressId = (participants.conversation ?? result.destination.conversation)?.addressId;
  let { conversation } = participants;
  // The conversation with the default contact does not count: the situation is not about it.
  if (participants.contact !== null) conversation ??= sends[0]?.conversation ?? null;
  const timers = new WaitingTimers(tx, application.lanes, application.agentId, participants.contact);
  /** The IDs of messages that changes of the conversation have canceled. */
  const canceled = new Set<string>();
  for (const [i, effect] of effects.entries()) {
    if (results[i] !== undefined || effect.kind === "send") continue;
    if (effect.kind === "handoff" && conversation === null && participants.contact !== null) {
      // A human needs a conversation to answer in.
      const destination = await outcomeOf(async () => ({
        status: "done",
        destination: await open(tx, await destinationOf(tx, {}, application)),
      }));
      conversation = destination.destination?.conversation ?? null;
      if (destination.status === "failed") results[i] = destination;
    }
    results[i] ??=
      effect.kind === "ask"
        ? (application.asked ?? { status: "skipped" })
        : await outcomeOf(async () => {
            if (effect.kind === "later" || effect.kind === "cancelTimer")
              return changeTimer(tx, timers, effect, conversation, application);
            const opened = sends.flatMap((each) =>
              each.opening === undefined ? [] : (each.conversation ?? []),
            );
            return {
              status: await change(tx, effect, { conversation, opened, canceled, timers }, application),
            };
          });
  }
  if (makesRoom) await assertRoomFor(tx, sends, { schedules, changed: { of: conversation, canceled } });
  const ids = await send(tx, effects, results, application);
  return {
    conversation,
    effects: effects.map((effect, i) => explain(effect, results[i], ids.get(effect))),
  };
}

/** The result of an effect that is known from its plan. */
export function resultOf(effect: Effect, gates: readonly GateExplanation[]): Result | undefined {
  const { kind, error, whileHuman } = effect;
  if (isHandedOff(gates) && !whileHuman) return { status: "skipped", error: HANDED_OFF_ERROR };
  if (error !== null) return { status: "failed", error };
  const isInLoop = isLoop(gates) && (kind === "send" || kind === "ask");
  return isInLoop ? { status: "skipped", error: LOOP_ERROR } : undefined;
}

/** When a message is queued: after its delay, and in a window of the policy; now if undefined. */
function scheduleOf(
  { delaySeconds, isUrgent }: Send,
  { bound, now }: Application,
): Pick<Result, "sendAt" | "heldBy"> {
  const delayed = delaySeconds > 0 ? timestampOf(Date.parse(now) + delaySeconds * 1000) : undefined;
  const closed = isUrgent ? undefined : bound?.policy.closedUntil(bound.timezone, delayed ?? now);
  if (closed === undefined) return { sendAt: delayed };
  return { sendAt: closed.until, heldBy: { reason: ScheduledReason.window, path: closed.path } };
}

/** Runs a part of a decision whose failure does not affect the rest. */
async function outcomeOf(part: () => Promise<Result>): Promise<Result> {
  try {
    return await part();
  } catch (error) {
    if (!(error instanceof GatewayError) || !FAILURES.has(error.code)) throw error;
    return { status: "failed", error: { code: error.code, message: error.message } };
  }
}

/**
 * Tries the lines that a message names, until one reaches the contact. Only a situation that names a contact but no
 * conversation uses them, and a failed message that is sent again.
 */
async function onFirstLine(
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

/** Where a message is sent; standalone if it has neither a conversation nor a place. */
interface Destination {
  conversation: Conversation | null;
  /** Where to open the conversation. */
  place?: Place;
  opening?: Promise<Conversation>;
}

/** The destinations of a decision's messages, one object per conversation, which counts its messages. */
class Destinations {
  private readonly known = new Map<string, Destination>();

  /** Returns the first equal destination. */
  one(destination: Destination): Destination {
    const { conversation, place } = destination;
    const name = conversation?.id ?? `${place?.line.id} ${place?.address.id}`;
    const known = this.known.get(name) ?? destination;
    this.known.set(name, known);
    return known;
  }
}

/**
 * Where to send a message; without a contact, to the conversation with the default contact.
 * @throws GatewayError `not_found` (line), `not_deliverable`, `conflict` for a conversation that a human answers in
 */
async function destinationOf(
  tx: Tx,
  { line: name = null, whileHuman, resendOf }: Partial<Send>,
  application: Application,
): Promise<Destination> {
  const { agentId, participants, defaultConversations } = application;
  const { contact, conversation: atHand, isNamed, isPreferred } = participants;
  if (contact === null) {
    const place = (await defaultConversations.lockPlaces(tx, [agentId])).get(agentId);
    return place === undefined
      ? { conversation: null }
      : { ...mayJoin(await lockOpen(tx, place), whileHuman), place };
  }
  const isGiven = isNamed && resendOf === undefined;
  if (atHand !== null && (isGiven || name === null)) return { conversation: atHand };
  const line = await lineOf(tx, agentId, name === null ? null : { name });
  if (line.id === atHand?.lineId) return { conversation: atHand };
  assertInUse(line);
  const place = { line, address: await addressOn(tx, line, contact.id, isPreferred) };
  return { ...mayJoin(await lockOpen(tx, place), whileHuman), place };
}

/** Why a message to a destination would not be sent, if its address has opted out or is undeliverable. */
function blockOf(
  { conversation, place }: Destination,
  { participants, ...application }: Application,
): ExplanationError | undefined {
  const isCurrent = place === undefined && conversation === participants.conversation;
  const isOptedOut = isCurrent ? application.isOptedOut : place?.address.optedOutAt != null;
  const isUndeliverable = isCurrent ? application.isUndeliverable : place?.address.undeliverableAt != null;
  if (isOptedOut) return OPTED_OUT_ERROR;
  return isUndeliverable ? UNDELIVERABLE_ERROR : undefined;
}

/** True if an effect moves the conversation to an address at which the contact accepts messages. */
async function leadsToAccepted(
  tx: Tx,
  move: Effect | undefined,
  { agentId, participants: { contact, conversation } }: Application,
): Promise<boolean> {
  if (move?.kind !== "move" || contact === null) return false;
  try {
    const line = await lineOf(tx, agentId, { name: move.line });
    const isCurrent = ({ id }: { id: string }) => id === conversation?.addressId;
    const { optedOutAt, undeliverableAt } = await addressOn(tx, line, contact.id, isCurrent);
    return optedOutAt === null && undeliverableAt === null;
  } catch (error) {
    // The move will fail for the same reason.
    if (error instanceof GatewayError && FAILURES.has(error.code)) return false;
    throw error;
  }
}

/** Opens the conversation of a destination if necessary. */
async function open(tx: Tx, destination: Destination): Promise<Destination> {
  const { conversation, place } = destination;
  if (conversation === null && place !== undefined) {
    destination.opening ??= insertConversation(tx, place);
    destination.conversation = await destination.opening;
  }
  return destination;
}

/**
 * @param options.schedules true if any of the messages is scheduled
 * @param options.changed the conversation whose messages were canceled
 * @throws GatewayError `queue_full`
 */
async function assertRoomFor(
  tx: Tx,
  sends: readonly Destination[],
  {
    schedules,
    changed,
  }: { schedules: boolean; changed?: { of: Conversation | null; canceled: ReadonlySet<string> } },
): Promise<void> {
  for (const [{ conversation }, { length }] of groupBy(sends, (each) => each)) {
    if (conversation === null) continue;
    const canceled = tx.isDryRun && changed?.of?.id === conversation.id ? changed.canceled.size : 0;
    if ((await roomIn(tx, conversation, length, { schedules, canceled })) < length)
      throw conversationQueueFull();
  }
}

/** @throws GatewayError `conflict` for a conversation that a human answers in */
function mayJoin(conversation: Conversation | null, whileHuman = false): Destination {
  if (whileHuman || conversation?.handler !== Handler.human) return { conversation };
  throw new GatewayError("conflict", `A human answers in the conversation ${conversation.id}.`);
}

/** @throws GatewayError if the effect fails */
async function change(
  tx: Tx,
  effect: Exclude<Change, TimerChange>,
  {
    conversation,
    opened,
    canceled,
    timers,
  }: {
    conversation: Conversation | null;
    opened: readonly Conversation[];
    canceled: Set<string>;
    timers: WaitingTimers;
  },
  application: Application,
): Promise<EffectStatus> {
  const { lanes, context, participants } = application;
  const { contact } = participants;
  if ("tags" in effect) {
    if (contact === null) throw new GatewayError("not_found", "The situation is not about a contact.");
    const [add, remove] = effect.kind === "addTags" ? [effect.tags, []] : [[], effect.tags];
    const before = application.tags ?? (await tagsOf(tx, contact.id)) ?? [];
    const { tags, changed } = await changeKnownTags(tx, contact, before, { context, add, remove });
    application.tags = tags;
    return changed.length === 0 ? "unchanged" : "done";
  }
  if (conversation === null) throw new GatewayError("not_found", "There is no conversation.");
  if (effect.kind !== "close") assertOpen(conversation);
  const planned = await plan(tx, effect, conversation, opened);
  if (planned === undefined) return "unchanged";
  for (const id of (await storeAudited(tx, lanes, context, conversation, planned, timers)).canceled)
    canceled.add(id);
  return "done";
}

/** @throws GatewayError `limit_reached` */
async function changeTimer(
  tx: Tx,
  timers: WaitingTimers,
  effect: TimerChange,
  conversation: Conversation | null,
  { decisionId, participants: { contact, isNamed }, isTimed }: Application,
): Promise<Result> {
  const { kind, key } = effect;
  if (key === null) return { status: "skipped" };
  if (kind === "cancelTimer") {
    const timer = await timers.cancel(key);
    return { status: timer === undefined ? "unchanged" : "done", timer };
  }
  const { situation: situationType, data, unless, dueAt } = effect;
  const earliest = timestamp(isTimed ? MIN_CHAINED_MS : 0);
  const timer = await timers.set({
    conversationId: contact === null ? null : (conversation?.id ?? null),
    isNamed: contact !== null && isNamed,
    key,
    situationType,
    data,
    unless: [...new Set(unless)],
    dueAt: dueAt === null || dueAt < earliest ? earliest : dueAt,
    decisionId,
  });
  return { status: "done", timer: tx.isDryRun ? { dueAt: timer.dueAt } : timer };
}

async function plan(
  tx: Tx,
  effect: Exclude<Change, TimerChange | { kind: "addTags" | "removeTags" }>,
  conversation: Conversation,
  opened: readonly Conversation[],
): Promise<PlannedChange | undefined> {
  switch (effect.kind) {
    case "move":
      return planMove(tx, conversation, { name: effect.line }, PendingMessages[effect.pending], opened);
    case "handoff":
      return planHandoff(conversation);
    case "close":
      return planClose(conversation);
  }
}

/**
 * Queues the messages in order.
 * @returns their IDs
 */
async function send(
  tx: Tx,
  effects: readonly Effect[],
  results: readonly (Result | undefined)[],
  { lanes, agentId, decisionId, isAnswer }: Application,
): Promise<ReadonlyMap<Effect, string>> {
  const sends = effects.flatMap((effect, i) => {
    const { destination, addressId, sendAt, heldBy } = results[i] ?? {};
    if (effect.kind !== "send" || destination === undefined) return [];
    const draft: MessageToQueue = {
      agentId,
      text: effect.text ?? "",
      subject: effect.subject,
      author: MessageAuthor.agent,
      decisionId,
      sendAt,
      heldBy,
      isUrgent: effect.isUrgent,
      answeredAddressId: isAnswer ? addressId : undefined,
      conversation: destination.conversation,
    };
    return [{ effect, draft }];
  });
  if (sends.length === 0 || tx.isDryRun) return new Map();
  const messages = await queueMessages(
    tx,
    lanes,
    sends.map(({ draft }) => draft),
  );
  const ids = new Map(sends.map(({ effect }, i) => [effect, messages[i]?.id ?? ""]));
  for (const [{ resendOf }, resentAs] of ids)
    if (resendOf !== undefined) await tx.update(Message, { id: resendOf }, { resentAs });
  return ids;
}

/** Explains an effect and its result. */
export function explain(
  effect: Effect,
  { status, error, line, obstacles, timer, sendAt, heldBy }: Result = { status: "skipped" },
  messageId: string | undefined = undefined,
): EffectExplanation {
  return {
    kind: effect.kind,
    ruleId: effect.ruleId,
    status,
    error: error ?? null,
    messageId: messageId ?? null,
    template: "template" in effect ? effect.template : null,
    text: "text" in effect ? effect.text : null,
    ...("locale" in effect && { locale: effect.locale }),
    ...("subject" in effect && { subject: effect.subject }),
    ...("resendOf" in effect && { resendOf: effect.resendOf }),
    delaySeconds: "delaySeconds" in effect ? effect.delaySeconds : null,
    ...("isUrgent" in effect && { isUrgent: effect.isUrgent }),
    ...(sendAt !== undefined && {
      gate: { name: heldBy?.reason ?? ScheduledReason.delay, until: sendAt, path: heldBy?.path ?? null },
    }),
    line: line !== undefined ? line : "line" in effect ? effect.line : null,
    ...(obstacles !== undefined && { obstacles }),
    tags: "tags" in effect ? effect.tags : null,
    reason: "reason" in effect ? effect.reason : null,
    ...("key" in effect && { timer: explainTimer(effect, timer) }),
  };
}

const explainTimer = (effect: TimerChange, timer: Result["timer"]): TimerExplanation => ({
  id: timer?.id ?? null,
  key: effect.key,
  ...(effect.kind === "later" && {
    situationType: effect.situation,
    data: effect.data,
    dueAt: timer?.dueAt ?? effect.dueAt,
  }),
});
