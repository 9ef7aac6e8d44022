import { v7 as uuid } from "uuid";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { DEFAULT_BURST_SECONDS } from "../configuration/configuration.limits";
import { CONVERSATION_RELEASED, MESSAGE_FAILED, MESSAGE_RECEIVED } from "../configuration/document/shapes";
import type { Conversation } from "../conversations/conversation.entity";
import type { Message } from "../messages/message.entity";
import type { FailedMessage } from "../messages/message-failures";
import { DECISION_LANE, Decision, type Situation } from "./decision.entity";
import { pendingDecision } from "./pending-decision";

/** Max messages of a decision about what a contact wrote; the further ones get one more decision. */
const MAX_BURST = 20;

/** A situation in a conversation that the gateway itself raises. */
interface Raised extends Pick<Decision, "agentId" | "contactId" | "conversationId"> {
  situation: Situation;
}

/** A decision to make. */
type ToDecide = Raised & Pick<Decision, "id" | "configurationVersion">;

/** A message of a conversation that was given up. */
interface FailedRow extends Pick<Decision, "agentId" | "contactId" | "conversationId"> {
  id: string;
  /** The situation that it answers, as JSON; null without a decision. */
  situation: string | null;
}

/** Raises the gateway's own situations, in the transactions in which they happen. A deliverer makes the decisions. */
export class SituationTriggers {
  constructor(
    private readonly lanes: Lanes,
    private readonly compiledConfigurations: CompiledConfigurations,
  ) {}

  /** Raises that an agent may answer in a conversation again. */
  readonly released = (tx: Tx, { agentId, contactId, id: conversationId }: Conversation): Promise<void> =>
    this.raise(tx, [
      { agentId, contactId, conversationId, situation: { type: CONVERSATION_RELEASED, data: {} } },
    ]);

  /**
   * Raises that messages of conversations were given up, unless a decision about such a failure sent them: it would raise
   * itself endlessly.
   */
  readonly messagesFailed = async (tx: Tx, failed: readonly FailedMessage[]): Promise<void> => {
    const rows: FailedRow[] = await tx.query(
      `select message.id, message.agent_id as "agentId", message.conversation_id as "conversationId",
         conversation.contact_id as "contactId", decision.situation
       from message
       join conversation on conversation.id = message.conversation_id
       left join decision on decision.id = message.decision_id
       where message.id in ${placeholders(1, failed.length)}`,
      failed.map(({ id }) => id),
    );
    const errorCodes = new Map(failed.map(({ id, errorCode }) => [id, errorCode]));
    const raised = rows
      .filter(({ situation }) => situation === null || JSON.parse(situation).type !== MESSAGE_FAILED)
      .map(({ id: messageId, situation: _, ...about }) => {
        const data = { messageId, errorCode: errorCodes.get(messageId) ?? null };
        return { ...about, situation: { type: MESSAGE_FAILED, data } };
      });
    await this.raise(tx, raised);
  };

  /**
   * Raises that a contact wrote. Messages that follow each other within `burstSeconds` get one decision; so do those about
   * which a model is being asked, because its answer is void.
   * @param tx has locked the contact and the conversation
   * @param store stores the message under the ID of the decision about it, and returns it
   */
  async received(
    tx: Tx,
    { id: conversationId, agentId, contactId }: Conversation,
    store: (decisionId: string) => Promise<Message>,
  ): Promise<Message> {
    const pending = await this.lockPending(tx, conversationId);
    const earlier = messageIdsOf(pending);
    if (pending !== null && pending.snapshot === null && earlier.length < MAX_BURST) {
      const message = await store(pending.id);
      const data = { messageIds: [...earlier, message.id] };
      await tx.update(Decision, { id: pending.id }, { situation: { type: MESSAGE_RECEIVED, data } });
      return message;
    }
    const { version, configuration } = await this.compiledConfigurations.live(tx, agentId);
    const id = uuid();
    const message = await store(id);
    const undecided = pending?.snapshot == null ? [] : earlier.slice(1 - MAX_BURST);
    const data = { messageIds: [...undecided, message.id] };
    const situation = { type: MESSAGE_RECEIVED, data };
    const { burstSeconds = DEFAULT_BURST_SECONDS } = configuration.document;
    await this.add(
      tx,
      [{ id, agentId, contactId, conversationId, situation, configurationVersion: version }],
      timestamp(burstSeconds * 1000),
    );
    return message;
  }

  /** Stores a decision to make for each situation that the live configuration of its agent has a rule for. */
  private async raise(tx: Tx, raised: readonly Raised[]): Promise<void> {
    const wanted: ToDecide[] = [];
    for (const [agentId, ofAgent] of groupBy(raised, (each) => each.agentId)) {
      const { version: configurationVersion, configuration } = await this.compiledConfigurations.live(
        tx,
        agentId,
      );
      for (const each of ofAgent) {
        if (configuration.rulesFor(each.situation.type).length === 0) continue;
        wanted.push({ ...each, id: uuid(), configurationVersion });
      }
    }
    if (wanted.length > 0) await this.add(tx, wanted);
  }

  /**
   * Locks the last decision to make about messages of a conversation.
   * @returns null without one
   */
  private async lockPending(tx: Tx, conversationId: string): Promise<Decision | null> {
    const query = tx
      .createQueryBuilder(Decision, "decision")
      // As the partial index states it: SQLite compares texts.
      .where("decision.conversation_id = :conversationId AND decision.state = 'deciding'", { conversationId })
      .orderBy("decision.id", "DESC");
    const pending = await tx.lock(query).getMany();
    return pending.find(({ situation }) => situation.type === MESSAGE_RECEIVED) ?? null;
  }

  /**
   * Stores decisions to make.
   * @param dueAt when a deliverer makes them; now by default
   */
  private async add(tx: Tx, raised: readonly ToDecide[], dueAt?: Timestamp): Promise<void> {
    const createdAt = timestamp();
    const decisions = raised.map((each) =>
      tx.create(Decision, { ...each, ...pendingDecision(), snapshot: null, createdAt }),
    );
    await tx
      .createQueryBuilder()
      .insert()
      .into(Decision)
      .values(decisions as object[])
      .updateEntity(false)
      .execute();
    await this.lanes.add(
      tx,
      decisions.map(({ id, agentId }) => ({ id, agentId, kind: DECISION_LANE })),
      dueAt,
    );
  }
}

function messageIdsOf(decision: Decision | null): string[] {
  const ids = decision?.situation.data.messageIds;
  return Array.isArray(ids) ? ids : [];
}
