import { v7 as uuid } from "uuid";
import { DAY_MS, timestamp } from "../../src/common/time";
import { TIMER_LANE } from "../../src/delivery/wake-lanes";
import { Timer } from "../../src/features/timers/timer.entity";
import type { TestGateway } from "./gateway";

/**
 * Adds an agent's timer that is due in a day, with its lane, and by default without a contact.
 * @returns its ID
 */
export async function addTimer(
  { services }: TestGateway,
  agentId: string,
  contactId: string | null = null,
): Promise<string> {
  const [id, now, dueAt] = [uuid(), timestamp(), timestamp(DAY_MS)];
  await services.database.write(async (tx) => {
    await tx.insert(Timer, {
      ...{
        id,
        agentId,
        subjectId: contactId ?? agentId,
        contactId,
        conversationId: null,
        isNamed: false,
        key: id,
      },
      ...{ situationType: "in.a.day", data: {}, unless: [], dueAt, decisionId: id, createdAt: now },
    });
    await services.lanes.add(tx, [{ id, agentId, kind: TIMER_LANE, wakeAt: dueAt }]);
  });
  return id;
}
