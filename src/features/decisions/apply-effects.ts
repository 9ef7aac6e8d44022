import type { RequestContext } from "../../auth/context";
import { groupBy } from "../../common/group-by";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError } from "../../errors";
import type { Effect } from "../configuration/document/evaluate";
import { changeTagsOf } from "../contacts/tag-changes";
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
import { openConversation } from "../conversations/open-conversation";
import { assertOpen } from "../conversations/own-conversation";
import { conversationQueueFull, queueMessages, roomIn } from "../conversations/queue-messages";
import { type AgentQueues, assertRoom } from "../messages/agent-queues";
import { insertMessages } from "../messages/insert-messages";
import { EXPIRE_AFTER_MS, MESSAGE_ORDER, MessageAuthor } from "../messages/message.entity";
import type { EffectExplanation, EffectStatus, ExplanationError } from "./explanation";
import { LOOP_ERROR } from "./loop";
import type { Parties } from "./parties";

/** What effects are applied with. */
export interface Means {
  lanes: Lanes;
  queues: AgentQueues;
  defaultConversations: DefaultConversations;
}

/** A decision whose effects are applied in one transaction. */
export interface Application extends Means {
  context: RequestContext;
  agentId: string;
  decisionId: string;
  parties: Parties;
  /** What came of asking the model, if that was not in vain. */
  asked?: Pick<Result, "status" | "error"> | undefined;
  /** Whether the situation is that a contact wrote, so that the messages count as automatic answers. */
  isAnswer: boolean;
  /** Whether a loop keeps the agent from sending. */
  isLoop: boolean;
}

/** What came of the effects of a decision. */
export interface Applied {
  /** In the order of the effects. */
  effects: EffectExplanation[];
  /** The conversation at hand afterwards. */
  conversation: Conversation | null;
}

type Send = Extract<Effect, { kind: "send" }>;
type Change = Exclude<Effect, { kind: "send" | "ask" }>;

/** What came of one effect. */
interface Result {
  status: EffectStatus;
  error?: ExplanationError;
  /** For a message that is to be sent; null outside of any conversation. */
  conversation?: Conversation | null;
  /** The line that it was sent to by name. */
  line?: string | null;
  /** For a message that is to be sent: the address of the conversation at hand, else its own, before any move. */
  addressId?: string | undefined;
}

/** What makes an effect fail, while the rest of the decision goes on. */
const FAILURES: ReadonlySet<string> = new Set(["not_deliverable", "not_found", "conflict", "limit_reached"]);

/**
 * Does what a decision says. The conversations of its messages are opened first and the messages are queued last, so that
 * they leave as the other effects want it: on the line that the conversation is moved to, and although it is handed off or
 * closed.
 * @throws GatewayError `queue_full`
 */
export async function applyEffects(
  tx: Tx,
  effects: readonly Effect[],
  application: Application,
): Promise<Applied> {
  const results = effects.map(({ kind, error }): Result | undefined => {
    if (error !== null) return { status: "failed", error };
    const isKeptBack = application.isLoop && (kind === "send" || kind === "ask");
    return isKeptBack ? { status: "skipped", error: LOOP_ERROR } : undefined;
  });
  let { conversation } = application.parties;
  const opened = new Map<string, Conversation>();
  for (const [i, effect] of effects.entries()) {
    if (results[i] !== undefined || effect.kind !== "send") continue;
    const result = await outcomeOf(async () => {
      const found = await conversationFor(tx, effect.line, application);
      // One object for each conversation, which counts its messages.
      const known = found && (opened.get(found.id) ?? found);
      if (known !== null) opened.set(known.id, known);
      return {
        status: "done",
        conversation: known,
        line: isLineUsed(effect, application) ? effect.line : null,
        addressId: (application.parties.conversation ?? known)?.addressId,
      };
    });
    // The conversation with the default contact is not what the situation is about.
    if (application.parties.contact !== null) conversation ??= result.conversation ?? null;
    results[i] = result;
  }
  for (const [i, effect] of effects.entries()) {
    if (results[i] !== undefined || effect.kind === "send") continue;
    if (effect.kind === "handoff" && conversation === null && application.parties.contact !== null) {
      // A human needs one to answer in.
      const open = async () => ({
        status: "done" as const,
        conversation: await conversationFor(tx, null, application),
      });
      const result = await outcomeOf(open);
      conversation = result.conversation ?? null;
      if (result.status === "failed") results[i] = result;
    }
    results[i] ??=
      effect.kind === "ask"
        ? (application.asked ?? { status: "skipped" })
        : await outcomeOf(async () => ({ status: await change(tx, effect, conversation, application) }));
  }
  const ids = await send(tx, effects, results, application);
  return {
    conversation,
    effects: effects.map((effect, i) => explain(effect, results[i], ids.get(effect))),
  };
}

/** Runs a part of a decision whose failure leaves the rest as it is. */
async function outcomeOf(part: () => Promise<Result>): Promise<Result> {
  try {
    return await part();
  } catch (error) {
    if (!(error instanceof GatewayError) || !FAILURES.has(error.code)) throw error;
    return { status: "failed", error: { code: error.code, message: error.message } };
  }
}

/** Whether a message goes to the line that it names: a situation may name the conversation, or no contact. */
const isLineUsed = ({ line }: Send, { parties: { contact, isNamed } }: Application): boolean =>
  line !== null && contact !== null && !isNamed;

/**
 * The conversation that a message goes to, which is opened if necessary: without a contact, that with the default contact.
 * Null for a message outside of any conversation.
 * @param name the line that the message names
 * @throws GatewayError `not_found` (line), `not_deliverable`, `conflict` for one that a human answers in
 */
async function conversationFor(
  tx: Tx,
  name: string | null,
  application: Application,
): Promise<Conversation | null> {
  const { agentId, parties, defaultConversations } = application;
  const { contact, conversation: atHand, isNamed, isPreferred } = parties;
  if (contact === null) return answeredByAgent(await defaultConversations.of(tx, agentId));
  if (atHand !== null && (isNamed || name === null)) return atHand;
  const line = await lineOf(tx, agentId, name);
  if (line.id === atHand?.lineId) return atHand;
  assertInUse(line);
  const address = await addressOn(tx, line, contact.id, isPreferred);
  return answeredByAgent((await openConversation(tx, line, address)).conversation);
}

/** @throws GatewayError `conflict` for a conversation that a human answers in */
function answeredByAgent(conversation: Conversation | null): Conversation | null {
  if (conversation?.handler !== Handler.human) return conversation;
  throw new GatewayError("conflict", `A human answers in the conversation ${conversation.id}.`);
}

/** @throws GatewayError what makes the effect fail */
async function change(
  tx: Tx,
  effect: Change,
  conversation: Conversation | null,
  { lanes, context, parties: { contact } }: Application,
): Promise<EffectStatus> {
  if ("tags" in effect) {
    if (contact === null) throw new GatewayError("not_found", "The situation is about no contact.");
    const [add, remove] = effect.kind === "addTags" ? [effect.tags, []] : [[], effect.tags];
    const [result] = await changeTagsOf(tx, contact.id, [{ context, contactId: contact.id, add, remove }]);
    if (result instanceof GatewayError) throw result;
    return result === undefined || result.changed.length === 0 ? "unchanged" : "done";
  }
  if (conversation === null) throw new GatewayError("not_found", "There is no conversation.");
  if (effect.kind !== "close") assertOpen(conversation);
  const planned = await plan(tx, effect, conversation);
  if (planned === undefined) return "unchanged";
  await storeAudited(tx, lanes, context, conversation, planned);
  return "done";
}

async function plan(
  tx: Tx,
  effect: Exclude<Change, { kind: "addTags" | "removeTags" }>,
  conversation: Conversation,
): Promise<PlannedChange | undefined> {
  switch (effect.kind) {
    case "move":
      return planMove(tx, conversation, effect.line, PendingMessages[effect.pending]);
    case "handoff":
      return planHandoff(conversation);
    case "close":
      return planClose(conversation);
  }
}

/** Queues the messages in their order. @returns their IDs */
async function send(
  tx: Tx,
  effects: readonly Effect[],
  results: readonly (Result | undefined)[],
  { lanes, queues, agentId, decisionId, isAnswer }: Application,
): Promise<ReadonlyMap<Effect, string>> {
  const sends = effects.flatMap((effect, i) => {
    const { status, conversation = null, addressId } = results[i] ?? {};
    return effect.kind === "send" && status === "done" ? [{ effect, conversation, addressId }] : [];
  });
  if (sends.length === 0) return new Map();
  for (const _ of sends) assertRoom(await queues.take(agentId));
  for (const [conversation, { length }] of groupBy(sends, (each) => each.conversation))
    if (conversation !== null && (await roomIn(tx, conversation, length)) < length)
      throw conversationQueueFull();
  await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
  const drafts = sends.map(({ effect: { text, delaySeconds }, conversation, addressId }) => ({
    message: text ?? "",
    author: MessageAuthor.agent,
    decisionId,
    delayMs: delaySeconds * 1000,
    answeredAddressId: isAnswer ? addressId : undefined,
    conversation,
  }));
  const inConversations = drafts.flatMap(({ conversation, ...draft }) =>
    conversation === null ? [] : [{ ...draft, conversation }],
  );
  const messages =
    inConversations.length === 0
      ? await insertMessages(
          tx,
          lanes,
          drafts.map((draft) => ({
            ...draft,
            agentId,
            expiresAfterMs: EXPIRE_AFTER_MS,
            conversation: undefined,
          })),
        )
      : await queueMessages(tx, lanes, inConversations);
  return new Map(sends.map(({ effect }, i) => [effect, messages[i]?.id ?? ""]));
}

/** An effect with what came of it. */
export function explain(
  effect: Effect,
  { status, error, line }: Result = { status: "skipped" },
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
    delaySeconds: "delaySeconds" in effect ? effect.delaySeconds : null,
    line: line !== undefined ? line : "line" in effect ? effect.line : null,
    tags: "tags" in effect ? effect.tags : null,
    reason: "reason" in effect ? effect.reason : null,
  };
}
