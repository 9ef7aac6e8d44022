import { type EntityManager, In } from "typeorm";
import { timestamp } from "../../common/time";
import type { NextWork } from "../../delivery/deliverer";
import { Agent } from "../agents/agent.entity";
import { Line } from "../lines/line.entity";
import { expiryOf, isHeld, outcomeOf, type Surroundings, storeOutcomes } from "./gates";
import { Message, MessageStatus } from "./message.entity";

const NO_AGENT: Surroundings = { line: undefined, organizationIsActive: false };

/**
 * Sends messages outside of any conversation on the default line of their agent.
 * @param ids of messages whose lanes the transaction has locked
 * @returns when each message that stays queued expires
 */
export async function deliverMessages(tx: EntityManager, ids: readonly string[]): Promise<NextWork> {
  const messages = await tx.findBy(Message, { id: In([...ids]), status: MessageStatus.queued });
  const surroundings = await surroundingsOf(tx, [...new Set(messages.map(({ agentId }) => agentId))]);
  const now = timestamp();
  const outcomes = messages.map(
    (message) => [message, outcomeOf(message, surroundings.get(message.agentId) ?? NO_AGENT, now)] as const,
  );
  await storeOutcomes(tx, outcomes, now);
  const held = outcomes.filter(([, outcome]) => isHeld(outcome));
  return new Map(held.map(([message]) => [message.id, expiryOf(message)]));
}

async function surroundingsOf(
  tx: EntityManager,
  agentIds: readonly string[],
): Promise<Map<string, Surroundings>> {
  const id = In([...agentIds]);
  const agents = await tx.find(Agent, { where: { id }, relations: { organization: true } });
  const lines = await tx.findBy(Line, { agentId: id, isDefault: true });
  return new Map(
    agents.map(({ id, organization }) => [
      id,
      {
        line: lines.find(({ agentId }) => agentId === id),
        organizationIsActive: organization?.deactivatedAt === null,
      },
    ]),
  );
}
