import { Between, In } from "typeorm";
import { timestampOf } from "../../common/time";
import { millisecondsOf } from "../../common/uuid";
import { Agent } from "../agents/agent.entity";
import { findOfCaller } from "../agents/agent-scope";
import { ApiKey } from "../api-keys/api-key.entity";
import { Contact } from "../contacts/contact.entity";
import { Conversation } from "../conversations/conversation.entity";
import { Decision } from "../decisions/decision.entity";
import { Event } from "../events/event.entity";
import { Line } from "../lines/line.entity";
import { Member } from "../members/member.entity";
import { Message } from "../messages/message.entity";
import { Timer } from "../timers/timer.entity";
import { WebhookDelivery } from "../webhooks/webhook-delivery.entity";
import { WebhookEndpoint } from "../webhooks/webhook-endpoint.entity";
import type { Found } from "./find.types";
import {
  agentRow,
  contactRows,
  decisionRow,
  type FindScope,
  type FoundRow,
  foundRow,
  keyRow,
  lineRow,
  memberRow,
  withAgentNames,
} from "./found";

/** Max length of a message's preview (UTF-16 code units). */
const PREVIEW_LENGTH = 100;

/** Max difference between an event's timestamp and the time in its ID (ms). */
const EVENT_CLOCK_MS = 5_000;

/** Finds the resources with the given ID. An event's ID also finds the event's deliveries. */
export async function findById(scope: FindScope, id: string): Promise<Found[]> {
  const rows = [
    ...(await findShared(scope, id)),
    ...(scope.manages ? await findManaged(scope, id) : []),
    ...(scope.reads ? await findRead(scope, id) : []),
  ];
  return withAgentNames(scope.reader, rows);
}

async function findShared({ reader, organizationId }: FindScope, id: string): Promise<FoundRow[]> {
  const agents = await reader.findBy(Agent, { id, organizationId });
  const members = await reader.findBy(Member, { id, organizationId });
  return [...agents.map(agentRow), ...members.map(memberRow)];
}

async function findManaged({ reader, context, organizationId }: FindScope, id: string): Promise<FoundRow[]> {
  const keys = await reader.findBy(ApiKey, { id, organizationId });
  const line = await findOfCaller(reader, context, Line, id);
  const all = await reader.findBy(WebhookEndpoint, { organizationId });
  const endpoints = all.filter(({ deletedAt }) => deletedAt === null);
  const endpointId = In(endpoints.map((endpoint) => endpoint.id));
  const deliveries =
    endpoints.length === 0
      ? []
      : [
          ...(await reader.findBy(WebhookDelivery, { id, endpointId })),
          ...(await reader.findBy(WebhookDelivery, { eventId: id, endpointId })),
        ];
  const hostOf = (url: string) => new URL(url).host;
  return [
    ...keys.map(keyRow),
    ...(line === null ? [] : [lineRow(line)]),
    ...endpoints
      .filter((endpoint) => endpoint.id === id)
      .map(({ url, agentId }) => foundRow("webhook_endpoint", id, hostOf(url), { agentId })),
    ...deliveries.map((delivery) => {
      const url = endpoints.find((endpoint) => endpoint.id === delivery.endpointId)?.url;
      return foundRow("webhook_delivery", delivery.id, delivery.type, {
        detail: url === undefined ? null : hostOf(url),
        agentId: delivery.agentId,
        subject: `webhook_endpoint:${delivery.endpointId}`,
        eventId: delivery.eventId,
      });
    }),
  ];
}

async function findRead(scope: FindScope, id: string): Promise<FoundRow[]> {
  const { reader, context } = scope;
  const contact = await findOfCaller(reader, context, Contact, id);
  const conversation = await findOfCaller(reader, context, Conversation, id);
  const message = await findOfCaller(reader, context, Message, id);
  const decision = await findOfCaller(reader, context, Decision, id);
  const timer = await findOfCaller(reader, context, Timer, id);
  return [
    ...(await contactRows(reader, contact === null ? [] : [contact])),
    ...(conversation === null ? [] : [await conversationRow(scope, conversation)]),
    ...(message === null
      ? []
      : [foundRow("message", id, beginningOf(message.text), { agentId: message.agentId })]),
    ...(decision === null ? [] : [decisionRow(decision)]),
    ...(timer === null ? [] : [timerRow(timer)]),
    ...(await findEvents(scope, id)),
  ];
}

async function conversationRow(
  { reader }: FindScope,
  { id, contactId, agentId }: Conversation,
): Promise<FoundRow> {
  const [contact] = await contactRows(reader, await reader.findBy(Contact, { id: contactId }));
  return foundRow("conversation", id, contact?.title ?? null, { detail: contact?.detail ?? null, agentId });
}

const timerRow = ({ id, key, agentId, contactId, situationType }: Timer): FoundRow =>
  foundRow("timer", id, situationType, {
    detail: key,
    agentId,
    subject: contactId === null ? `agent:${agentId}` : `contact:${contactId}`,
  });

/** Finds events by the times in their IDs, because there is no index on event IDs. */
async function findEvents({ reader, organizationId }: FindScope, id: string): Promise<FoundRow[]> {
  if (id.charAt(14) !== "7") return [];
  const ms = millisecondsOf(id);
  const events = await reader
    .createQueryBuilder(Event, "event")
    .innerJoin(Agent, "agent", "agent.id = event.agent_id")
    .where({ timestamp: Between(timestampOf(ms - EVENT_CLOCK_MS), timestampOf(ms + EVENT_CLOCK_MS)), id })
    .andWhere("agent.organization_id = :organizationId AND agent.deleted_at IS NULL", { organizationId })
    .getMany();
  return events.map(({ type, subject, agentId }) => foundRow("event", id, type, { agentId, subject }));
}

const beginningOf = (text: string): string =>
  text.replace(/\s+/g, " ").trim().slice(0, PREVIEW_LENGTH).toWellFormed();
