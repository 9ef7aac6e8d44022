import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Nullable } from "../../common/nullable";
import { DAY_MS, type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { createdBetween } from "../../pagination/created-between";
import { countRows, MAX_COUNT } from "../../pagination/total-count";
import { Agent } from "../agents/agent.entity";
import { ApiKeyState } from "../api-keys/api-key.entity";
import { IN_STATE } from "../api-keys/key-search";
import { Decision } from "../decisions/decision.entity";
import type { UsagePeriod } from "../key-usage/usage.types";
import { requireLine } from "../lines/find-line";
import { LineState } from "../lines/line.entity";
import { countOnLine, queuedOnLines } from "../messages/line-messages";
import { Message } from "../messages/message.entity";
import { MessageStatus } from "../messages/message.enums";

@ObjectType({ description: "A number of messages or decisions." })
export class ActivityCount {
  @Field(() => Int, { description: "The count, or a lower bound if there are too many to count." })
  count!: number;

  @Field(() => Boolean, { description: "True if `count` is exact, or false if it is a lower bound." })
  isExact!: boolean;
}

@ObjectType({ description: "Activity of an organization's agents in a period." })
export class Activity {
  @Field(() => ActivityCount, {
    description: "Messages accepted in the period that were sent but not confirmed as delivered.",
  })
  sent!: ActivityCount;

  @Field(() => ActivityCount, { description: "Messages accepted in the period that were delivered or read." })
  delivered!: ActivityCount;

  @Field(() => ActivityCount, { description: "Messages accepted in the period that could not be delivered." })
  failed!: ActivityCount;

  @Field(() => ActivityCount, { description: "Decisions requested in the period." })
  decisions!: ActivityCount;
}

@ObjectType({ description: "Message counts for a line." })
export class LineActivity {
  @Field(() => ActivityCount, {
    description: "Queued messages that are not held back, except by earlier messages in their conversations.",
  })
  queued!: ActivityCount;

  @Field(() => ActivityCount, {
    description: "Queued messages that are held back. See `Message.heldReason`.",
  })
  held!: ActivityCount;

  @Field(() => ActivityCount, {
    description: "Messages accepted in the last 24 hours that could not be delivered.",
  })
  failed!: ActivityCount;

  @Field(() => ActivityCount, {
    description: "Messages accepted in the last 24 hours that were sent, delivered or read.",
  })
  sent!: ActivityCount;
}

@ObjectType({ description: "An agent's setup and latest decision, at a glance." })
export class AgentSummary {
  @Field(() => ID, { description: "ID of the agent." })
  agentId!: string;

  @Field(() => Int, { description: "Number of active API keys." })
  activeKeys!: number;

  @Field(() => Int, { description: "Number of lines that are not archived." })
  lines!: number;

  @Field(() => Int, { description: "Version number of the live configuration." })
  liveVersion!: number;

  @Nullable(() => GraphQLISODateTime, "When the latest decision was requested, or null if none is stored.")
  lastDecisionAt!: Timestamp | null;
}

/** Length of each period (days), ending at the current time; message and decision lists use the same periods. */
const DAYS: Readonly<Record<UsagePeriod, number>> = { last_24_hours: 1, last_30_days: 30 };

const SENT = [MessageStatus.sent, MessageStatus.delivered, MessageStatus.read] as const;

/** Counts messages and decisions by scanning indexes up to a limit, so that the cost does not grow with table size. */
export class ActivityService {
  constructor(private readonly database: Database) {}

  /** Returns the activity in the caller's organization since the start of a period. */
  count(context: RequestContext, period: UsagePeriod): Promise<Activity> {
    const organizationId = organizationOf(context);
    const since = new Date(Date.now() - DAYS[period] * DAY_MS);
    return this.database.report(organizationId, async (reader) => {
      const messages = (...statuses: MessageStatus[]) =>
        countOf(
          reader,
          sinceIn(reader, Message, organizationId, since).andWhere("made.status IN (:...statuses)", {
            statuses,
          }),
        );
      return {
        sent: await messages(MessageStatus.sent),
        delivered: await messages(MessageStatus.delivered, MessageStatus.read),
        failed: await messages(MessageStatus.failed),
        decisions: await countOf(reader, sinceIn(reader, Decision, organizationId, since)),
      };
    });
  }

  /** Returns summaries of the agents in the caller's organization. */
  agents(context: RequestContext): Promise<AgentSummary[]> {
    const organizationId = organizationOf(context);
    return this.database.report(organizationId, async (reader) => {
      const rows = await reader
        .createQueryBuilder(Agent, "agent")
        .select("agent.id", "agentId")
        .addSelect(
          `(SELECT COUNT(*) FROM api_key AS key
            WHERE key.agent_id = agent.id AND ${IN_STATE[ApiKeyState.active]})`,
          "activeKeys",
        )
        .addSelect(
          "(SELECT COUNT(*) FROM line WHERE line.agent_id = agent.id AND line.state <> :archived)",
          "lines",
        )
        .addSelect(
          "(SELECT MAX(version) FROM configuration_version WHERE agent_id = agent.id)",
          "liveVersion",
        )
        .addSelect(
          "(SELECT created_at FROM decision WHERE agent_id = agent.id ORDER BY id DESC LIMIT 1)",
          "lastDecisionAt",
        )
        .where({ organizationId })
        .setParameters({ now: timestamp(), archived: LineState.archived })
        .getRawMany<AgentSummary>();
      // PostgreSQL returns counts as strings.
      return rows.map((row) => ({ ...row, activeKeys: Number(row.activeKeys), lines: Number(row.lines) }));
    });
  }

  /** Returns the message counts for one of the lines in the caller's organization, or throws `not_found`. */
  countOnLine(context: RequestContext, lineId: string): Promise<LineActivity> {
    const organizationId = organizationOf(context);
    const since = new Date(Date.now() - DAY_MS);
    return this.database.report(organizationId, async (reader) => {
      const line = await requireLine(reader, organizationId, lineId);
      const { lines, isExact } = await queuedOnLines(reader, line.agentId);
      const { count, held } = lines.get(lineId) ?? { count: 0, held: 0 };
      const sent: ActivityCount[] = [];
      for (const status of SENT) sent.push(await countOnLine(reader, line, status, since));
      return {
        queued: { count: count - held, isExact },
        held: { count: held, isExact },
        failed: await countOnLine(reader, line, MessageStatus.failed, since),
        sent: sumOf(sent),
      };
    });
  }
}

const sumOf = (counts: readonly ActivityCount[]): ActivityCount => ({
  count: counts.reduce((sum, { count }) => sum + count, 0),
  isExact: counts.every(({ isExact }) => isExact),
});

async function countOf(...query: Parameters<typeof countRows>): Promise<ActivityCount> {
  const found = await countRows(...query);
  return { count: Math.min(found, MAX_COUNT), isExact: found <= MAX_COUNT };
}

/** Returns a query for the rows created by an organization's agents since a given time. */
const sinceIn = (
  reader: EntityManager,
  entity: typeof Message | typeof Decision,
  organizationId: string,
  since: Date,
) =>
  createdBetween(
    reader
      .createQueryBuilder<Message | Decision>(entity, "made")
      .innerJoin("made.agent", "agent")
      .where("agent.organization_id = :organizationId", { organizationId }),
    { since },
  );
