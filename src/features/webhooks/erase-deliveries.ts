import { In, IsNull, Not } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { nextOfParents } from "../../database/next-of-parents";
import { Lane } from "../../delivery/lane.entity";
import { Agent } from "../agents/agent.entity";
import { Contact } from "../contacts/contact.entity";
import type { ErasureStep } from "../contacts/erasures";
import { Conversation } from "../conversations/conversation.entity";
import { WebhookDelivery } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";
import { laneIdOf } from "./webhook-lane";

/** Max lanes per chunk, one per subject and endpoint. */
const MAX_LANES = 2_000;

/** The last processed subject, with its conversation unless the subject is a contact. */
interface Position {
  subject: string;
  conversation?: Conversation | undefined;
}

/** Clears endpoints' responses to deliveries about erased contacts, because a response may name the contact. */
export const eraseDeliveries =
  (database: Database): ErasureStep =>
  (contactIds, options) =>
    inChunks<Position>(
      database,
      async (tx, after = { subject: "" }, limit) => {
        const { agentId } = await tx.findOneByOrFail(Contact, { id: contactIds[0] as string });
        const { organizationId } = await tx.findOneOrFail(Agent, {
          where: { id: agentId },
          withDeleted: true,
        });
        const endpoints = await tx.findBy(WebhookEndpoint, { organizationId });
        if (endpoints.length === 0) return undefined;
        const take = Math.max(1, Math.min(limit, Math.floor(MAX_LANES / endpoints.length)));
        // Contacts' subjects sort before conversations' subjects.
        const subjects = contactIds
          .map((id) => `contact:${id}`)
          .sort()
          .filter((subject) => subject > after.subject)
          .slice(0, take);
        let { conversation } = after;
        if (subjects.length < take) {
          const conversations = await nextOfParents(tx, Conversation, {
            index: ["contactId", "id"],
            parents: contactIds,
            select: ["contactId", "id"],
            after: conversation,
            limit: take - subjects.length,
          });
          subjects.push(...conversations.map(({ id }) => `conversation:${id}`));
          conversation = conversations.at(-1);
        }
        const subject = subjects.at(-1);
        if (subject === undefined) return undefined;
        const laneIds = endpoints.flatMap(({ id }) => subjects.map((subject) => laneIdOf(id, subject)));
        // Locks the lanes before their deliveries, in the same order as deliverers.
        const lanes = tx
          .createQueryBuilder(Lane, "lane")
          .where({ id: In(laneIds) })
          .orderBy("lane.id");
        await tx.lock(lanes).getMany();
        const answered = await tx.find(WebhookDelivery, {
          select: ["id"],
          where: [
            { laneId: In(laneIds), lastError: Not(IsNull()) },
            { laneId: In(laneIds), attemptLog: Not(IsNull()) },
          ],
          take: limit,
        });
        const ids = answered.map(({ id }) => id);
        if (ids.length > 0) await tx.update(WebhookDelivery, ids, { lastError: null, attemptLog: null });
        // Repeats the chunk, because these lanes may have more deliveries.
        if (ids.length === limit) return after;
        return subjects.length < take ? undefined : { subject, conversation };
      },
      options,
    );
