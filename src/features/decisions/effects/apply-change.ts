import { timestamp, timestampOf } from "../../../common/time";
import type { Tx } from "../../../database/unit-of-work";
import { GatewayError } from "../../../errors";
import type { Effect } from "../../configuration/document/effect";
import { changeKnownTags, tagsOf } from "../../contacts/tag-changes";
import type { Conversation } from "../../conversations/conversation.entity";
import { PendingMessages } from "../../conversations/conversation.inputs";
import { assertOpen } from "../../conversations/find-conversation";
import {
  type PlannedChange,
  planClose,
  planHandoff,
  planMove,
  setHandedOff,
} from "../../conversations/planned-change";
import { storeAudited } from "../../conversations/store-change";
import { WaitingTimers } from "../../timers/waiting-timers";
import type { EffectStatus } from "../explanation";
import type { Application, Change, Result, TimerChange } from "./application";

/** Min delay of timers set by a decision about a timer or a failed message (ms), which may form a loop. */
const MIN_CHAINED_MS = 60_000;

export const isContactHandoff = (effect: Effect): boolean =>
  effect.kind === "handoff" && effect.scope === "contact";

/** @throws GatewayError if the effect fails */
export async function change(
  tx: Tx,
  effect: Exclude<Change, TimerChange>,
  about: {
    conversation: Conversation | null;
    opened: readonly Conversation[];
    canceled: Map<string, Set<string>>;
    timers: WaitingTimers;
    application: Application;
    /** All open conversations with the contact. */
    all: () => readonly Conversation[];
  },
): Promise<EffectStatus> {
  const { conversation, opened, canceled, timers, application, all } = about;
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
  let isChanged = false;
  for (const each of isContactHandoff(effect) ? all() : [conversation]) {
    const change = await plan(tx, effect, each, opened);
    if (change === undefined) continue;
    const planned = { ...change, decisionId: application.decisionId };
    isChanged = true;
    const queue = await storeAudited(tx, lanes, context, each, planned, { contact, timers });
    canceled.set(each.id, new Set([...(canceled.get(each.id) ?? []), ...queue.canceled]));
  }
  if (isContactHandoff(effect) && contact !== null && contact.handedOffAt === null) {
    await setHandedOff(tx, contact, timestamp());
    isChanged = true;
  }
  return isChanged ? "done" : "unchanged";
}

/** @throws GatewayError `limit_reached` */
export async function changeTimer(
  tx: Tx,
  timers: WaitingTimers,
  effect: TimerChange,
  conversation: Conversation | null,
  { decisionId, participants: { contact, isNamed }, isChained, now }: Application,
): Promise<Result> {
  const { kind, key } = effect;
  if (key === null) return { status: "skipped" };
  if (kind === "cancelTimer") {
    const timer = await timers.cancel(key);
    return { status: timer === undefined ? "unchanged" : "done", timer };
  }
  const { situation: situationType, data, unless, dueAt } = effect;
  const earliest = timestampOf(Date.parse(now) + (isChained ? MIN_CHAINED_MS : 0));
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
      return planHandoff(conversation, { reason: effect.reason });
    case "close":
      return planClose(conversation);
  }
}
