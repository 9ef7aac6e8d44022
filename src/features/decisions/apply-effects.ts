import type { Tx } from "../../database/unit-of-work";
import type { Effect } from "../configuration/document/effect";
import type { Conversation } from "../conversations/conversation.entity";
import { lockOpenWith } from "../conversations/find-conversation";
import { acceptedAs, assertRoom } from "../messages/agent-queues";
import { WaitingTimers } from "../timers/waiting-timers";
import { type Application, outcomeOf } from "./effects/application";
import { change, changeTimer, isContactHandoff } from "./effects/apply-change";
import {
  afterMoves,
  allOpen,
  assertRoomFor,
  blockOf,
  Destinations,
  destinationOf,
  type Move,
  onFirstLine,
  open,
} from "./effects/destinations";
import { explain } from "./effects/explain-effect";
import { resultOf } from "./effects/planned-result";
import { scheduleOf, send } from "./effects/send-messages";
import type { EffectExplanation } from "./explanation";
import type { WaveUnit } from "./wave";

export interface Applied {
  /** The result of each effect, in order. */
  effects: EffectExplanation[];
  /** The conversation after the effects are applied. */
  conversation: Conversation | null;
}

const NONE: ReadonlyMap<string, Conversation> = new Map();

/**
 * Applies the effects of a decision. First opens the conversations for its messages, then applies the other
 * effects, and queues the messages last. Messages are therefore sent on the line that their conversation was
 * moved to, even if it was handed off or closed. A dry run does all this in memory.
 * @param unit its `pass` is called once it is known which locks are needed, before anything is stored
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
  const moves = effects.filter(
    (effect, i): effect is Move => effect.kind === "move" && results[i] === undefined,
  );
  for (const [i, effect] of effects.entries()) {
    if (results[i] !== undefined || effect.kind !== "send") continue;
    results[i] = await onFirstLine(effect, application, (line) =>
      outcomeOf(async () => {
        const destination = await destinationOf(tx, { ...effect, line }, application);
        const isMoved = destinations.isMoved(destination, participants.conversation);
        const final = isMoved ? await afterMoves(tx, destination, moves, application) : destination;
        const error = await blockOf(tx, effect, final, application);
        if (error !== undefined) return { status: "failed", error };
        const found = destination.place?.line ?? participants.line;
        const used = effect.reuse === undefined ? line : (found?.name ?? line);
        return { status: "done", destination: destinations.one(destination), line: used };
      }),
    );
  }
  const sends = results.flatMap((result) => (result?.destination === undefined ? [] : result.destination));
  for (const [i, effect] of effects.entries())
    if (effect.kind === "send" && results[i]?.destination !== undefined)
      Object.assign(results[i], scheduleOf(effect, application));
  const schedules = results.some((result) => result?.sendAt !== undefined || result?.review !== undefined);
  for (const result of results) {
    if (result?.destination === undefined) continue;
    const status = acceptedAs(result);
    const messages = tx.isDryRun ? 0 : 1;
    assertRoom(await application.queues.take(application.agentId, { status, messages }), status);
  }
  // These effects cancel queued messages, which frees up room in queues.
  const makesRoom = effects.some(({ kind }) => kind === "move" || kind === "handoff" || kind === "close");
  if (!makesRoom) await assertRoomFor(tx, sends, { schedules });
  const { contact } = participants;
  const isForContact = effects.some((effect, i) => isContactHandoff(effect) && results[i] === undefined);
  // Conversations are always locked before the `MESSAGE_ORDER` lock is acquired.
  const others = isForContact && contact !== null ? await lockOpenWith(tx, contact.id) : NONE;
  await unit.pass(sends.length > 0 || effects.some(({ kind }) => kind === "handoff"));
  await Promise.all(sends.map((destination) => open(tx, destination)));
  for (const result of results)
    if (result?.destination !== undefined)
      result.addressId = (participants.conversation ?? result.destination.conversation)?.addressId;
  let { conversation } = participants;
  // Excludes the default contact's conversation, because the situation is not about that contact.
  if (participants.contact !== null) conversation ??= sends[0]?.conversation ?? null;
  const timers = new WaitingTimers(tx, application.lanes, application.agentId, participants.contact);
  /** IDs of messages canceled by changes to conversations, by conversation ID. */
  const canceled = new Map<string, Set<string>>();
  for (const [i, effect] of effects.entries()) {
    if (results[i] !== undefined || effect.kind === "send") continue;
    if (effect.kind === "handoff" && conversation === null && participants.contact !== null) {
      // A handoff needs a conversation, because a human can answer only in a conversation.
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
              status: await change(tx, effect, {
                ...{ conversation, opened, canceled, timers, application },
                all: () => allOpen(conversation, sends, others),
              }),
            };
          });
  }
  if (makesRoom) await assertRoomFor(tx, sends, { schedules, canceled });
  const ids = await send(tx, effects, results, application);
  return {
    conversation,
    effects: effects.map((effect, i) => explain(effect, results[i], ids.get(effect))),
  };
}
