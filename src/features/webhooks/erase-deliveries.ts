import { In, IsNull, MoreThan, Not } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { Lane } from "../../delivery/lane.entity";
import { Agent } from "../agents/agent.entity";
import { Contact } from "../contacts/contact.entity";
import type { ErasureStep } from "../contacts/erasures";
import { Conversation } from "../conversations/conversation.entity";
import { WebhookDelivery } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";
import { laneIdOf } from "./webhook-lane";

/** Max conversations per chunk, because a statement includes one lane per conversation and endpoint. */
const MAX_CONVERSATIONS = 200;

/** Clears endpoints' responses to deliveries about an erased contact, because a response may name the contact. */
export const eraseDeliveries =
  (database: Database): ErasureStep =>
  (contactId, options) =>
    inChunks<string>(
      database,
      async (tx, after = "", limit) => {
        const take = Math.min(limit, MAX_CONVERSATIONS);
        const { agentId } = await tx.findOneByOrFail(Contact, { id: contactId });
        const { organizationId } = await tx.findOneOrFail(Agent, {
          where: { id: agentId },
          withDeleted: true,
        });
        const conversations = await tx.find(Conversation, {
          select: ["id"],
          where: { contactId, id: MoreThan(after) },
          order: { id: "ASC" },
          take,
        });
        const subjects = conversations.map(({ id }) => `conversation:${id}`);
        if (after === "") subjects.push(`contact:${contactId}`);
        if (subjects.length === 0) return undefined;
        const endpoints = await tx.findBy(WebhookEndpoint, { organizationId });
        const laneIds = endpoints.flatMap(({ id }) => subjects.map((subject) => laneIdOf(id, subject)));
        // Locked before their deliveries, as by deliverers.
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
        // These lanes may have more deliveries.
        if (ids.length === limit) return after;
        return conversations.length < take ? undefined : conversations.at(-1)?.id;
      },
      options,
    );
