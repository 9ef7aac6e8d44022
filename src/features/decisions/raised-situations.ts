import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { LaneKind } from "../../delivery/lane.entity";
import type { Lanes } from "../../delivery/lanes";
import { CONVERSATION_RELEASED, MESSAGE_FAILED } from "../configuration/document/shapes";
import type { Playbooks } from "../configuration/playbooks";
import type { Conversation } from "../conversations/conversation.entity";
import type { FailedMessage } from "../messages/message-failures";
import { Decision, type Situation } from "./decision.entity";
import { notMade } from "./not-made";

/** A situation in a conversation that the gateway itself raises. */
interface Raised extends Pick<Decision, "agentId" | "contactId" | "conversationId"> {
  situation: Situation;
}

/** A message of a conversation that was given up. */
interface FailedRow extends Pick<Decision, "agentId" | "contactId" | "conversationId"> {
  id: string;
  /** The situation that it answers, as JSON; null without a decision. */
  situation: string | null;
}

/** Raises the gateway's own situations, in the transactions in which they happen. A deliverer makes the decisions. */
export class RaisedSituations {
  constructor(
    private readonly lanes: Lanes,
    private readonly playbooks: Playbooks,
  ) {}

  /** Raises that an agent may answer in a conversation again. */
  readonly released = (
    tx: EntityManager,
    { agentId, contactId, id: conversationId }: Conversation,
  ): Promise<void> =>
    this.raise(tx, [
      { agentId, contactId, conversationId, situation: { type: CONVERSATION_RELEASED, data: {} } },
    ]);

  /**
   * Raises that messages of conversations were given up, unless a decision about such a failure sent them: it would raise
   * itself endlessly.
   */
  readonly messagesFailed = async (tx: EntityManager, failed: readonly FailedMessage[]): Promise<void> => {
    const rows: FailedRow[] = await tx.query(
      `select message.id, message.agent_id as "agentId", message.conversation_id as "conversationId",
         conversation.contact_id as "contactId", decision.situation
       from message
       join conversation on conversation.id = message.conversation_id
       left join decision on decision.id = message.decision_id
       where message.id in (${failed.map((_, i) => `$${i + 1}`).join(", ")})`,
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

  /** Stores a decision to make for each situation that the live configuration of its agent has a rule for. */
  private async raise(tx: EntityManager, raised: readonly Raised[]): Promise<void> {
    const decisions: Decision[] = [];
    for (const [agentId, ofAgent] of groupBy(raised, (each) => each.agentId)) {
      const { version, playbook } = await this.playbooks.live(tx, agentId);
      const wanted = ofAgent.filter(({ situation }) => playbook.rulesFor(situation.type).length > 0);
      if (wanted.length === 0) continue;
      for (const each of wanted) {
        decisions.push(
          tx.create(Decision, {
            ...each,
            ...notMade(),
            snapshot: null,
            id: uuid(),
            configurationVersion: version,
            createdAt: timestamp(),
          }),
        );
      }
    }
    if (decisions.length === 0) return;
    await tx
      .createQueryBuilder()
      .insert()
      .into(Decision)
      .values(decisions as object[])
      .updateEntity(false)
      .execute();
    await this.lanes.add(
      tx,
      decisions.map(({ id, agentId }) => ({ id, agentId, kind: LaneKind.decision })),
    );
  }
}
