import { In } from "typeorm";
import { indexBy } from "../../common/coalesce";
import { insertsOf } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { lockSubjects } from "../contacts/known-contact";
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
import type { Participants } from "./participants";
import { agentById, newDecision } from "./pending-decision";
import { inTurns } from "./wave";

export type DueTimer = Pick<Timer, "id" | "agentId" | "contactId">;

/** Makes decisions for due timers. */
export class TimerDecisions {
  constructor(
    private readonly dependencies: Dependencies,
    private readonly compiledConfigurations: CompiledConfigurations,
    private readonly steps: DecisionSteps,
  ) {}

  /**
   * Submits the situations of due timers to their agents, unless the timers were canceled or replaced. A
   * single transaction claims the timers and decides while holding the contacts' locks, so no timer can be
   * canceled in between. A contact's timers fire one by one, longest due first, because each decision may
   * cancel or replace later ones.
   * @param failure the reason why the decisions cannot be made; undefined to make them
   * @throws GatewayError like `decide`
   */
  async fire(tx: Tx, due: readonly DueTimer[], failure?: ExplanationError): Promise<void> {
    await lockSubjects(tx, due);
    const timers = await tx.find(Timer, {
      where: { id: In(due.map(({ id }) => id)) },
      order: { dueAt: "ASC", id: "ASC" },
    });
    const taken: string[] = [];
    const decisions = new Map<number, Decision>();
    const results = await inTurns(timers, await participantsIn(tx, timers), {
      subjectOf: ({ subjectId }) => subjectId,
      again: (some) => participantsIn(tx, some),
      lock: () => lockMessageOrder(tx, timers),
      run: async (i, participants, unit) => {
        const timer = timers[i] as Timer;
        if ((await takeDue(tx, timer.id)) === undefined) return;
        taken.push(timer.id);
        // No new data may be stored about an erased contact.
        const isErased = participants.contact?.erasedAt != null;
        const agent = isErased ? undefined : await agentById(tx, timer.agentId);
        if (agent === undefined) return;
        const decision = await this.timed(tx, timer, participants);
        decisions.set(i, decision);
        if (failure !== undefined) throw new GatewayError("internal_error", failure.message);
        await this.steps.resume(tx, { decision, agent }, participants, unit);
      },
    });
    const { lanes } = this.dependencies;
    for (const [i, result] of results.entries()) {
      if (!(result instanceof GatewayError)) continue;
      const decision = decisions.get(i);
      if (decision === undefined) throw result;
      failDecision(tx, lanes, decision, failure ?? result);
    }
    const fired = [...decisions.values()];
    const deciding = fired.filter(({ state }) => state === DecisionState.deciding);
    const added = deciding.map(({ id, agentId }) => ({ id, agentId, kind: DECISION_LANE }));
    lanes.observing(tx).count(TIMERS, ["fired"], fired.length);
    recordEvents(
      tx,
      [],
      [...lanes.ending(taken), ...lanes.adding(tx, added), ...insertsOf(tx, Decision, fired)],
    );
  }

  private async timed(
    tx: Tx,
    { id: timerId, agentId, contactId, situationType: type, data }: Timer,
    { conversation }: Participants,
  ): Promise<Decision> {
    const { version, configuration } = await this.compiledConfigurations.live(tx, agentId);
    const situation = { type, data };
    return newDecision(tx, {
      agentId,
      contactId,
      conversationId: conversation?.id ?? null,
      timerId,
      situation,
      situationKey: configuration.keyOf(situation),
      configurationVersion: version,
    });
  }
}

/** Returns the current participants of timers' situations, with their rows locked. */
async function participantsIn(tx: Tx, timers: readonly Timer[]): Promise<Participants[]> {
  const ids = timers.flatMap(({ conversationId }) => conversationId ?? []);
  // Their states cannot change, because the caller has locked their contacts.
  const found = ids.length === 0 ? [] : await tx.findBy(Conversation, { id: In(ids) });
  const conversations = indexBy(found, ({ id }) => id);
  const about = timers.map((timer) => describe(timer, conversations.get(timer.conversationId ?? "")));
  return participantsOf(tx, about);
}

/** Returns the contact, address and open conversation that a timer's situation is about. */
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
