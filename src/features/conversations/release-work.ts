import { type EntityManager, In } from "typeorm";
import { systemFor } from "../../auth/context";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import type { Database } from "../../database/database";
import { lockRows } from "../../database/lock-rows";
import { rowByKey } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import { Lane } from "../../delivery/lane.entity";
import { type LaneWork, LOCKED_MS } from "../../delivery/lane-work";
import type { Lanes } from "../../delivery/lanes";
import { Agent } from "../agents/agent.entity";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { periodMs } from "../configuration/document/period";
import { Contact } from "../contacts/contact.entity";
import type { Organization } from "../organizations/organization.entity";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import type { ConversationChanges } from "./conversation-changes";

/** Max conversations released per transaction, because deliveries in them wait for its commit. */
const MAX_RELEASED = 20;

/**
 * Releases handed-off conversations once `releaseAfter` has passed without an answer from a human. An agent's
 * lane sleeps until the first conversation is due, but no longer than `releaseAfter`; later handoffs are due
 * later, so they need not wake it. Never waits for locks, because the transaction already holds lanes.
 */
export const releaseWork = (
  lanes: Lanes,
  compiledConfigurations: CompiledConfigurations,
  changes: ConversationChanges,
): LaneWork => ({
  start: async (tx, laneIds) => {
    const next = new Map<string, Timestamp>();
    for (const { id, agentId } of await tx.findBy(Lane, { id: In([...laneIds]) })) {
      const afterMs = await releaseAfterMs(tx, compiledConfigurations, agentId);
      if (afterMs !== undefined) next.set(id, await release(tx, lanes, changes, { agentId, afterMs }));
    }
    return { next, dispatches: [], waiting: [] };
  },
  finish: async () => undefined,
});

/** Returns the live configuration's `releaseAfter` (ms); undefined if it is not set. */
async function releaseAfterMs(
  reader: EntityManager,
  compiledConfigurations: CompiledConfigurations,
  agentId: string,
): Promise<number | undefined> {
  const { configuration } = await compiledConfigurations.live(reader, agentId);
  return periodMs(configuration.document.releaseAfter ?? "");
}

/** Creates a lookup of when a conversation will be released, by the rules of `release`; null if never. */
export function releaseTimes(
  database: Database,
  compiledConfigurations: CompiledConfigurations,
): (conversation: Conversation) => Promise<Date | null> {
  const afterMsOf = database.coalesceByKey("release periods", (agentIds) =>
    database.read(async (reader) => {
      const periods = agentIds.map(
        async (id) => [id, await releaseAfterMs(reader, compiledConfigurations, id)] as const,
      );
      return new Map(await Promise.all(periods));
    }),
  );
  const lastOf = rowByKey(database, "conversations handed off together", "contactId", handedOffTogether);
  return async ({ agentId, contactId, state, humanAt }) => {
    if (humanAt === null || state === ConversationState.closed) return null;
    const afterMs = await afterMsOf(agentId);
    if (afterMs === undefined) return null;
    return new Date(Date.parse((await lastOf(contactId))?.humanAt ?? humanAt) + afterMs);
  };
}

/** Returns the latest `humanAt` of each handed-off contact's conversations, which are released together. */
const handedOffTogether = (
  reader: EntityManager,
  contactIds: readonly string[],
): Promise<{ contactId: string; humanAt: Timestamp }[]> =>
  reader
    .createQueryBuilder(Conversation, "conversation")
    .innerJoin(
      Contact,
      "contact",
      "contact.id = conversation.contact_id AND contact.handed_off_at IS NOT NULL",
    )
    .select("conversation.contact_id", "contactId")
    .addSelect("MAX(conversation.human_at)", "humanAt")
    .where("conversation.contact_id IN (:...contactIds)", { contactIds })
    .andWhere({ state: ConversationState.open, handler: Handler.human })
    .groupBy("conversation.contact_id")
    .getRawMany();

/**
 * Releases an agent's due conversations.
 * @returns the time of the next check
 */
async function release(
  tx: Tx,
  lanes: Lanes,
  changes: ConversationChanges,
  { agentId, afterMs }: { agentId: string; afterMs: number },
): Promise<Timestamp> {
  const now = Date.now();
  // The same text as in the partial index, because SQLite compares the two textually.
  const handedOff = () =>
    tx
      .createQueryBuilder(Conversation, "conversation")
      .where({ agentId })
      .andWhere(
        `conversation.handler = '${Handler.human}' AND conversation.state = '${ConversationState.open}'`,
      );
  const first = await handedOff()
    .select(["conversation.id", "conversation.contactId", "conversation.humanAt"])
    .orderBy("conversation.humanAt")
    .limit(MAX_RELEASED + 1)
    .getMany();
  const dueAt = ({ humanAt }: Conversation) => Date.parse(humanAt ?? "") + afterMs;
  const due = first.filter((each) => dueAt(each) <= now).slice(0, MAX_RELEASED);
  const later = first[due.length];
  const sleepUntil = timestampOf(Math.min(now + afterMs, later === undefined ? Infinity : dueAt(later)));
  if (due.length === 0) return sleepUntil;
  const contactIds = [...new Set(due.map(({ contactId }) => contactId))];
  const contacts = tx.createQueryBuilder(Contact, "contact").where({ id: In(contactIds) });
  const locked = await lockRows(tx, contacts, { skipLocked: true });
  const together = [...locked.values()].flatMap(({ id, handedOffAt }) => (handedOffAt === null ? [] : id));
  const others =
    together.length === 0
      ? []
      : await handedOff()
          .andWhere({ contactId: In(together) })
          .getMany();
  const alone = due.filter(({ contactId }) => locked.has(contactId) && !together.includes(contactId));
  const found = [...alone, ...others];
  const conversations = await lockRows(tx, handedOff().andWhere({ id: In(found.map(({ id }) => id)) }), {
    skipLocked: true,
  });
  const busy = await lanes.lockFree(tx, [...conversations.keys()]);
  const { organization } = await tx.findOneOrFail(Agent, {
    where: { id: agentId },
    relations: { organization: true },
  });
  const context = systemFor(organization as Organization);
  let isDone = locked.size === contactIds.length;
  // Conversations handed off together are released together, after the last one is due.
  const groups = groupBy(found, ({ id, contactId }) => (together.includes(contactId) ? contactId : id));
  for (const group of groups.values()) {
    const contact = locked.get(group[0]?.contactId ?? "");
    const current = group.flatMap(({ id }) => (busy.has(id) ? [] : (conversations.get(id) ?? [])));
    const last = current.toSorted((a, b) => dueAt(b) - dueAt(a))[0];
    const isReleased = current.length === group.length && last !== undefined && dueAt(last) <= now;
    if (isReleased && contact) await changes.releaseInTime(tx, context, contact, current);
    else if (last !== undefined && current.length > 1)
      await tx.update(Conversation, { id: In(current.map(({ id }) => id)) }, { humanAt: last.humanAt });
    isDone &&= isReleased;
  }
  return isDone ? sleepUntil : timestamp(LOCKED_MS);
}
