import { type EntityManager, In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import type { NextWork } from "../../delivery/deliverer";
import { Agent } from "../agents/agent.entity";
import { Line, LineState } from "../lines/line.entity";
import { AttemptOutcome, DeliveryAttempt } from "./delivery-attempt.entity";
import { EXPIRE_AFTER_MS, HeldReason, Message, MessageError, MessageStatus } from "./message.entity";

/** What an agent sends with. */
interface Route {
  line: Line | undefined;
  isActive: boolean;
}

/**
 * Sends messages outside of any conversation on the default line of their agent. A local line does no I/O, so checks,
 * attempt and delivery are one transaction.
 * @param ids of messages whose lanes the transaction has locked
 * @returns when each message that stays queued expires
 */
export async function deliverMessages(tx: EntityManager, ids: readonly string[]): Promise<NextWork> {
  const messages = await tx.findBy(Message, { id: In([...ids]), status: MessageStatus.queued });
  const routes = await routesOf(tx, [...new Set(messages.map(({ agentId }) => agentId))]);
  const now = timestamp();
  const next = new Map<string, Timestamp>();
  const changes = groupBy(messages, (message) =>
    JSON.stringify(changeOf(message, routes.get(message.agentId), now)),
  );
  for (const [text, alike] of changes) {
    const change: Partial<Message> = JSON.parse(text);
    await tx.update(Message, { id: In(alike.map(({ id }) => id)) }, change);
    if (change.status === MessageStatus.delivered)
      await tx.insert(DeliveryAttempt, alike.map(attemptAt(now)));
    if (change.status !== undefined) continue;
    for (const { id, expiresAt } of alike) next.set(id, expiresAt ?? timestamp(EXPIRE_AFTER_MS));
  }
  return next;
}

async function routesOf(tx: EntityManager, agentIds: readonly string[]): Promise<Map<string, Route>> {
  const id = In([...agentIds]);
  const agents = await tx.find(Agent, { where: { id }, relations: { organization: true } });
  const lines = await tx.findBy(Line, { agentId: id, isDefault: true });
  return new Map(
    agents.map(({ id, organization }) => [
      id,
      {
        line: lines.find(({ agentId }) => agentId === id),
        isActive: organization?.deactivatedAt === null,
      },
    ]),
  );
}

/** The change that delivers a message, holds it back or gives it up. */
function changeOf({ expiresAt }: Message, route: Route | undefined, now: Timestamp): Partial<Message> {
  if (expiresAt !== null && expiresAt <= now) {
    return { status: MessageStatus.failed, errorCode: MessageError.expired, heldReason: null };
  }
  const line = route?.line;
  if (line === undefined || line.state === LineState.archived) return { heldReason: HeldReason.no_route };
  if (line.state === LineState.paused) return { heldReason: HeldReason.line_paused };
  if (!route?.isActive) return { heldReason: HeldReason.organization_deactivated };
  return {
    status: MessageStatus.delivered,
    heldReason: null,
    lineId: line.id,
    sentAt: now,
    deliveredAt: now,
  };
}

const attemptAt =
  (now: Timestamp) =>
  ({ id }: Message) => ({
    messageId: id,
    number: 1,
    startedAt: now,
    endedAt: now,
    outcome: AttemptOutcome.accepted,
  });
