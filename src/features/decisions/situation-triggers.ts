import { indexBy } from "../../common/coalesce";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { insertsOf } from "../../database/insert-all";
import { lockRows } from "../../database/lock-rows";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import type { Lanes } from "../../delivery/lanes";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { DEFAULT_BURST_SECONDS } from "../configuration/configuration.limits";
import { CONVERSATION_RELEASED, MESSAGE_FAILED, MESSAGE_RECEIVED } from "../configuration/document/shapes";
import type { Conversation } from "../conversations/conversation.entity";
import type { ReleaseReason } from "../conversations/planned-change";
import type { Message } from "../messages/message.entity";
import type { FailedMessage } from "../messages/message-events";
import { DECISION_LANE, Decision, type Situation } from "./decision.entity";
import { newDecision } from "./pending-decision";
import { forget } from "./rule-matches";
import { messageIdsOf } from "./snapshot";

/** Max messages from a contact per decision; further messages start another decision. */
const MAX_BURST = 20;

interface Raised extends Pick<Decision, "agentId" | "contactId" | "conversationId"> {
  situation: Situation;
}

interface FailedRow extends Pick<Decision, "agentId" | "contactId" | "conversationId"> {
  id: string;
}

/** Raises the gateway's own situations in the transactions that cause them. A deliverer makes the decisions. */
export class SituationTriggers {
  constructor(
    private readonly lanes: Lanes,
    private readonly compiledConfigurations: CompiledConfigurations,
  ) {}

  /** Raises `conversation.released` when an agent may answer in a conversation again. */
  readonly released = (
    tx: Tx,
    { agentId, contactId, id: conversationId }: Conversation,
    reason: ReleaseReason,
  ): Promise<void> =>
    this.raise(tx, [
      { agentId, contactId, conversationId, situation: { type: CONVERSATION_RELEASED, data: { reason } } },
    ]);

  /**
   * Raises `message.failed`, except for messages sent about another failed message, which could loop. A message whose
   * decision is no longer stored may be one of them.
   */
  readonly messagesFailed = async (tx: Tx, failed: readonly FailedMessage[]): Promise<void> => {
    const rows: FailedRow[] = await tx.query(
      `select message.id, message.agent_id as "agentId", message.conversation_id as "conversationId",
         conversation.contact_id as "contactId"
       from message
       join conversation on conversation.id = message.conversation_id
       left join decision on decision.id = message.decision_id
       where message.id in ${placeholders(1, failed.length)}
         and (message.decision_id is null or decision.situation_type <> '${MESSAGE_FAILED}')`,
      failed.map(({ id }) => id),
    );
    const errorCodes = new Map(failed.map(({ id, errorCode }) => [id, errorCode]));
    const raised = rows.map(({ id: messageId, ...about }) => {
      const data = { messageId, errorCode: errorCodes.get(messageId) ?? null };
      return { ...about, situation: { type: MESSAGE_FAILED, data } };
    });
    await this.raise(tx, raised);
  };

  /**
   * Raises `message.received`. Messages within `burstSeconds` of the first one share a decision. If a message
   * arrives during a model call, a new decision covers all messages, and the model's answer is discarded.
   * @param tx must have locked the contacts and the conversations
   * @param written messages to be stored; the IDs of the decisions about them are added
   * @returns the changes that store the decisions
   */
  async received(
    tx: Tx,
    written: readonly { conversation: Conversation; message: Message }[],
  ): Promise<Change[]> {
    const last = await lockPending(
      tx,
      written.flatMap(({ conversation: { id }, message: { sequence } }) => (sequence === 1 ? [] : id)),
    );
    const live = new Map<string, Awaited<ReturnType<CompiledConfigurations["live"]>>>();
    const joined = new Set<Decision>();
    const raised: (readonly [Decision, Timestamp])[] = [];
    for (const { conversation, message } of written) {
      const { id: conversationId, agentId, contactId } = conversation;
      let decision = last.get(conversationId);
      let messageIds = decision === undefined ? [] : messageIdsOf(decision.situation);
      if (decision !== undefined && decision.snapshot === null && messageIds.length < MAX_BURST)
        joined.add(decision);
      else {
        if (decision?.snapshot == null) messageIds = [];
        else {
          messageIds = messageIds.slice(1 - MAX_BURST);
          // The new decision replaces the pending one, so rules with `once` must be able to match again.
          const { configurationVersion } = decision;
          await forget(tx, decision, await this.compiledConfigurations.at(tx, agentId, configurationVersion));
        }
        const current = live.get(agentId) ?? (await this.compiledConfigurations.live(tx, agentId));
        live.set(agentId, current);
        const { version, configuration } = current;
        const situation = { type: MESSAGE_RECEIVED, data: {} };
        decision = newDecision(tx, {
          ...{ agentId, contactId, conversationId, situation },
          configurationVersion: version,
        });
        const { burstSeconds = DEFAULT_BURST_SECONDS } = configuration.document;
        raised.push([decision, timestamp(burstSeconds * 1000)]);
        last.set(conversationId, decision);
      }
      decision.situation.data = { messageIds: [...messageIds, message.id] };
      message.decisionId = decision.id;
    }
    return [...updatesOf(tx, Decision, [...joined], ["situation"]), ...this.adding(tx, raised)];
  }

  /** Stores a pending decision for each situation whose type has a rule in the agent's live configuration. */
  private async raise(tx: Tx, raised: readonly Raised[]): Promise<void> {
    const wanted: Decision[] = [];
    for (const [agentId, ofAgent] of groupBy(raised, (each) => each.agentId)) {
      const { version, configuration } = await this.compiledConfigurations.live(tx, agentId);
      for (const each of ofAgent)
        if (configuration.rulesFor(each.situation.type).length > 0)
          wanted.push(newDecision(tx, { ...each, configurationVersion: version }));
    }
    const now = timestamp();
    const raising = wanted.map((decision) => [decision, now] as const);
    await changeTogether(tx, this.adding(tx, raising));
  }

  private adding(tx: Tx, raised: readonly (readonly [Decision, Timestamp])[]): Change[] {
    const decisions = raised.map(([decision]) => decision);
    const lanes = raised.map(([{ id, agentId }, wakeAt]) => ({ id, agentId, kind: DECISION_LANE, wakeAt }));
    return [...insertsOf(tx, Decision, decisions), ...this.lanes.adding(tx, lanes)];
  }
}

/** Locks each locked conversation's latest pending decision about messages; returns it by conversation. */
async function lockPending(tx: Tx, conversationIds: readonly string[]): Promise<Map<string, Decision>> {
  if (conversationIds.length === 0) return new Map();
  const query = tx
    .createQueryBuilder(Decision, "decision")
    // Must have the same text as the partial index's condition, because SQLite compares the texts.
    .where("decision.conversation_id IN (:...ids) AND decision.state = 'deciding'", {
      ids: [...new Set(conversationIds)],
    });
  const pending = [...(await lockRows(tx, query)).values()];
  const received = pending.filter(({ situation }) => situation.type === MESSAGE_RECEIVED);
  return indexBy(received, ({ conversationId }) => conversationId ?? "");
}
