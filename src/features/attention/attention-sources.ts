import { type EntityManager, In, IsNull, MoreThan, Not } from "typeorm";
import type { AllowedCallers } from "../../auth/authorize";
import { Permission } from "../../auth/permissions";
import { DAY_MS, type Timestamp, timestamp } from "../../common/time";
import { createdBetween } from "../../pagination/created-between";
import { countRows, MAX_COUNT } from "../../pagination/total-count";
import { MAY_READ_DECISIONS, MAY_READ_LINES } from "../agents/agent.access";
import type { Agent } from "../agents/agent.entity";
import { ApiKey } from "../api-keys/api-key.entity";
import { EXPIRING_DAYS } from "../api-keys/api-key.limits";
import { narrowToExpiring } from "../api-keys/key-search";
import { MAY_READ_CONVERSATIONS } from "../conversations/conversation.access";
import { pageOfConversations } from "../conversations/conversation.connection";
import { Conversation } from "../conversations/conversation.entity";
import { ConversationOrder } from "../conversations/conversation.inputs";
import { Decision, HAS_FAILURES } from "../decisions/decision.entity";
import { Line, LineState } from "../lines/line.entity";
import { LineTraffic } from "../lines/line-traffic.entity";
import { queuedOnLines } from "../messages/line-messages";
import { MAY_READ_MESSAGES } from "../messages/message.access";
import { MessageStatus } from "../messages/message.enums";
import { messagesIn, pageOfMessages } from "../messages/message-list";
import { WebhookDelivery, WebhookDeliveryState } from "../webhooks/webhook-delivery.entity";
import { WebhookEndpoint, WebhookEndpointState } from "../webhooks/webhook-endpoint.entity";
import { type AttentionItem, AttentionKind, LEAKED_DAYS, MAX_OF_KIND } from "./attention.types";

/** Max queued messages to read per agent. */
const MAX_QUEUED = 1_000;

/** The organization to search, with its agents. */
interface Scope {
  reader: EntityManager;
  organizationId: string;
  /** The organization's agents by ID. */
  agents: ReadonlyMap<string, Agent>;
}

/** A source of one or more kinds of attention items. */
interface Source {
  /** The callers that may see the source's items. */
  allowed: AllowedCallers;
  find(scope: Scope): Promise<AttentionItem[]>;
}

const MANAGES_KEYS = { member: Permission.config_manage, organizationKey: "keys:manage" } as const;
const MANAGES_WEBHOOKS = { member: Permission.config_manage, organizationKey: "webhooks:manage" } as const;

export const SOURCES: readonly Source[] = [
  { allowed: MANAGES_KEYS, find: leakedKeys },
  { allowed: MANAGES_KEYS, find: expiringKeys },
  { allowed: MAY_READ_LINES, find: lines },
  { allowed: MANAGES_WEBHOOKS, find: webhooks },
  { allowed: MAY_READ_CONVERSATIONS, find: waitingConversations },
  { allowed: MAY_READ_MESSAGES, find: proposedMessages },
  { allowed: MAY_READ_DECISIONS, find: failedDecisions },
];

/** Caps a count at `MAX_COUNT`. */
const upTo = (count: number) => ({ count: Math.min(count, MAX_COUNT), isCountExact: count <= MAX_COUNT });

const ONE = { count: 1, isCountExact: true };

async function leakedKeys({ reader, organizationId }: Scope): Promise<AttentionItem[]> {
  const leakedAt = MoreThan(timestamp(-LEAKED_DAYS * DAY_MS));
  const where = { organizationId, leakedAt };
  const keys = await reader.find(ApiKey, { where, order: { leakedAt: "DESC" }, take: MAX_OF_KIND });
  return keys.map((apiKey) => ({
    kind: AttentionKind.key_leaked,
    ...ONE,
    since: apiKey.leakedAt,
    apiKey,
  }));
}

async function expiringKeys({ reader, organizationId }: Scope): Promise<AttentionItem[]> {
  const query = reader.createQueryBuilder(ApiKey, "key").where({ organizationId });
  const found = await narrowToExpiring(query, EXPIRING_DAYS)
    .select("COUNT(*)", "count")
    .addSelect("MIN(key.expires_at)", "first")
    .getRawOne<{ count: number | string; first: Timestamp | null }>();
  const count = Number(found?.count);
  const since = found?.first ?? null;
  return count === 0 ? [] : [{ kind: AttentionKind.key_expiring, ...upTo(count), since }];
}

async function lines({ reader, agents }: Scope): Promise<AttentionItem[]> {
  const agentId = In([...agents.keys()]);
  const { entities: failing, raw } = await reader
    .createQueryBuilder(Line, "line")
    .innerJoin(LineTraffic, "traffic", "traffic.line_id = line.id AND traffic.fault_since IS NOT NULL")
    .addSelect("traffic.fault_since", "since")
    .where({ agentId, state: LineState.active })
    .orderBy("traffic.fault_since")
    .limit(MAX_OF_KIND)
    .getRawAndEntities<{ since: Timestamp }>();
  const paused = await reader.find(Line, {
    where: { agentId, state: LineState.paused },
    order: { id: "ASC" },
  });
  const queued = new Map<string, Awaited<ReturnType<typeof queuedOnLines>>>();
  for (const id of new Set([...failing, ...paused].map((line) => line.agentId)))
    queued.set(id, await queuedOnLines(reader, id, MAX_QUEUED));
  const itemOf = (kind: AttentionKind, line: Line, since?: Timestamp): AttentionItem => {
    const { lines, isExact = true } = queued.get(line.agentId) ?? {};
    const { count, oldest } = lines?.get(line.id) ?? { count: 0, oldest: null };
    const agent = agents.get(line.agentId);
    return { kind, count, isCountExact: isExact, since: since ?? oldest, line, agent };
  };
  return [
    ...failing.map((line, i) => itemOf(AttentionKind.line_failing, line, raw[i]?.since)),
    ...paused
      .map((line) => itemOf(AttentionKind.line_paused, line))
      // Keeps lines without an exact count, because some of their messages may not have been read.
      .filter(({ count, isCountExact }) => count > 0 || !isCountExact)
      .sort((a, b) => ((a.since ?? "") < (b.since ?? "") ? -1 : 1))
      .slice(0, MAX_OF_KIND),
  ];
}

async function webhooks({ reader, organizationId }: Scope): Promise<AttentionItem[]> {
  const where = { organizationId, deletedAt: IsNull() };
  const { active, disabled } = WebhookEndpointState;
  const failing = await reader.find(WebhookEndpoint, {
    where: { ...where, state: active, failingSince: Not(IsNull()) },
    order: { failingSince: "ASC" },
    take: MAX_OF_KIND,
  });
  const ended = await reader.find(WebhookEndpoint, {
    where: { ...where, state: disabled },
    order: { updatedAt: "DESC" },
    take: MAX_OF_KIND,
  });
  const items: AttentionItem[] = [];
  for (const webhookEndpoint of [...failing, ...ended]) {
    const { id: endpointId, state, failingSince, updatedAt } = webhookEndpoint;
    const pending = { endpointId, state: WebhookDeliveryState.pending };
    const query = reader.createQueryBuilder(WebhookDelivery, "delivery").where(pending);
    const oldest = await reader.findOne(WebhookDelivery, { where: pending, order: { id: "ASC" } });
    items.push({
      kind: state === disabled ? AttentionKind.webhook_disabled : AttentionKind.webhook_failing,
      ...upTo(await countRows(reader, query)),
      since: state === disabled ? updatedAt : failingSince,
      webhookEndpoint,
      lastError: oldest?.lastError,
    });
  }
  return items;
}

async function waitingConversations({ reader, agents }: Scope): Promise<AttentionItem[]> {
  const agentIds = [...agents.keys()];
  // This condition must have the same text as the partial index's condition, because SQLite compares the two textually.
  const waiting = () =>
    reader.createQueryBuilder(Conversation, "conversation").where("conversation.waiting_since IS NOT NULL");
  const order = ConversationOrder.longest_waiting_first;
  const first = { limit: 0, after: undefined };
  const [oldest] = await pageOfConversations(reader, waiting(), first, { owners: { agentIds }, order });
  if (oldest === undefined) return [];
  const count = await countRows(reader, waiting().andWhere({ agentId: In(agentIds) }));
  return [{ kind: AttentionKind.reply_needed, ...upTo(count), since: oldest.waitingSince }];
}

async function proposedMessages({ reader, agents }: Scope): Promise<AttentionItem[]> {
  const filter = { agentIds: [...agents.keys()], status: MessageStatus.proposed };
  const [oldest] = await pageOfMessages(reader, filter, { limit: 0, after: undefined }, "oldest_first");
  if (oldest === undefined) return [];
  const count = await countRows(reader, messagesIn(reader, filter));
  return [{ kind: AttentionKind.review_needed, ...upTo(count), since: oldest.createdAt }];
}

async function failedDecisions({ reader, agents }: Scope): Promise<AttentionItem[]> {
  const query = reader
    .createQueryBuilder(Decision, "decision")
    .select("decision.agent_id", "agent_id")
    .addSelect("decision.created_at", "created_at")
    .where({ agentId: In([...agents.keys()]) })
    .andWhere(`(${HAS_FAILURES})`)
    .limit(MAX_COUNT + 1);
  const [sql, parameters] = createdBetween(query, {
    since: new Date(Date.now() - DAY_MS),
  }).getQueryAndParameters();
  const rows: { agentId: string; count: number | string; since: Timestamp }[] = await reader.query(
    `SELECT agent_id AS "agentId", COUNT(*) AS count, MIN(created_at) AS since FROM (${sql}) AS failed
     GROUP BY agent_id ORDER BY count DESC LIMIT ${MAX_OF_KIND}`,
    parameters,
  );
  const total = rows.reduce((sum, { count }) => sum + Number(count), 0);
  return rows.map(({ agentId, count, since }) => ({
    kind: AttentionKind.decision_failed,
    count: Number(count),
    isCountExact: total <= MAX_COUNT,
    since,
    agent: agents.get(agentId),
  }));
}
