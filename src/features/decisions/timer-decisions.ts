import { In } from "typeorm";
import { v7 as uuid } from "uuid";
import { indexBy } from "../../common/coalesce";
import { timestamp } from "../../common/time";
import { insertsOf } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { lockContacts } from "../contacts/known-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import { recordEvents } from "../events/record-events";
import { lockMessageOrder } from "../messages/message.entity";
import { Timer } from "../timers/timer.entity";
import { TIMERS } from "../timers/timer.metrics";
import { takeDue } from "../timers/waiting-timers";
import { failDecision } from "./complete-decision";
import { DECISION_LANE, Decision, DecisionState } from "./decision.entity";
import type { ModelRequestState } from "./decision-record";
import type { DecisionSteps } from "./decision-steps";
import type { Dependencies } from "./effects/application";
import type { ExplanationError } from "./explanation";
import { type Described, participantsOf } from "./model-request-state";
import { agentById, pendingDecision } from "./pending-decision";
import { inTurns } from "./wave";

export type DueTimer = Pick<Timer, "id" | "agentId" | "contactId">;

/** Makes the decisions of due timers. */
export class TimerDecisions {
  constructor(
    private readonly dependencies: Dependencies,
    private readonly compiledConfigurations: CompiledConfigurations,
    private readonly steps: DecisionSteps,
  ) {}

  /**
   * Submits the situations of due timers to their agents, unless the timers were canceled or replaced. One transaction
   * takes the timers and decides while it holds the contacts' locks, so a timer is not canceled in between.
   * @param failure the reason why the decisions cannot be made, if any
   * @throws GatewayError like `decide`
   */
  async fire(tx: Tx, due: readonly DueTimer[], failure?: ExplanationError): Promise<void> {
    const all = { id: In(due.map(({ id }) => id)) };
    const contacts = await lockContacts(
      tx,
      due.flatMap(({ contactId }) => contactId ?? []),
    );
    const timers = await tx.findBy(Timer, all);
    const taken = await takeDue(tx, timers);
    const fired = (
      await Promise.all(
        timers.map(async (timer) => {
          // No new data may be stored about an erased contact.
          const isErased = contacts.get(timer.contactId ?? "")?.erasedAt != null;
          const isTaken = taken.has(timer.id) && !isErased;
          const agent = isTaken ? await agentById(tx, timer.agentId) : undefined;
          return agent === undefined ? [] : [{ timer, agent }];
        }),
      )
    ).flat();
    const conversations = await conversationsOf(tx, timers);
    const about = fired.map(({ timer }) => describe(timer, conversations.get(timer.conversationId ?? "")));
    const decisions: Decision[] = [];
    for (const [i, { timer }] of fired.entries())
      decisions.push(await this.timed(tx, timer, about[i] as Described));
    const results = await inTurns(about, await participantsOf(tx, about), {
      subjectOf: ({ subjectId }) => subjectId,
      again: (some) => participantsOf(tx, some),
      lock: () => lockMessageOrder(tx, about),
      run: async (i, participants, unit) => {
        const decision = decisions[i] as Decision;
        const { agent } = fired[i] as (typeof fired)[number];
        if (failure !== undefined) throw new GatewayError("internal_error", failure.message);
        await this.steps.resume(tx, { decision, agent }, participants, unit);
      },
    });
    for (const [i, result] of results.entries())
      if (result instanceof GatewayError)
        failDecision(tx, this.dependencies.lanes, decisions[i] as Decision, failure ?? result);
    const { lanes } = this.dependencies;
    const deciding = decisions.filter(({ state }) => state === DecisionState.deciding);
    const added = deciding.map(({ id, agentId }) => ({ id, agentId, kind: DECISION_LANE }));
    lanes.observing(tx).count(TIMERS, ["fired"], fired.length);
    const ended = lanes.ending([...taken]);
    recordEvents(tx, [], [...ended, ...lanes.adding(tx, added), ...insertsOf(tx, Decision, decisions)]);
  }

  /** Returns the pending decision about a timer's situation. */
  private async timed(
    tx: Tx,
    { id: timerId, agentId, situationType: type, data }: Timer,
    { contactId, conversationId }: Described,
  ): Promise<Decision> {
    const { version, configuration } = await this.compiledConfigurations.live(tx, agentId);
    const situation = { type, data };
    return tx.create(Decision, {
      ...pendingDecision(situation, configuration.keyOf(situation)),
      id: uuid(),
      agentId,
      contactId,
      conversationId,
      timerId,
      configurationVersion: version,
      snapshot: null,
      createdAt: timestamp(),
    });
  }
}

/** Returns the timers' conversations, whose states cannot change, because the caller has locked their contacts. */
async function conversationsOf(tx: Tx, timers: readonly Timer[]): Promise<Map<string, Conversation>> {
  const ids = timers.flatMap(({ conversationId }) => conversationId ?? []);
  const conversations = ids.length === 0 ? [] : await tx.findBy(Conversation, { id: In(ids) });
  return indexBy(conversations, ({ id }) => id);
}

/** Returns the subjects of a timer's situation; only the contact and its address if the conversation is closed. */
function describe(
  { agentId, contactId, isNamed }: Timer,
  conversation: Conversation | undefined,
): Described & { basis: ModelRequestState } {
  const isOpen = conversation?.state === ConversationState.open;
  return {
    agentId,
    contactId,
    conversationId: isOpen ? conversation.id : null,
    basis: { conversation: null, isNamed: isNamed && isOpen, addressId: conversation?.addressId ?? null },
  };
}
