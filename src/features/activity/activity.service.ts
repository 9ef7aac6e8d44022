import { Field, ObjectType } from "type-graphql";
import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { leastUuidAt } from "../../common/uuid";
import type { Database } from "../../database/database";
import { countRows, TotalCount } from "../../pagination/total-count";
import { Decision } from "../decisions/decision.entity";
import { startOf } from "../key-usage/usage.service";
import type { UsagePeriod } from "../key-usage/usage.types";
import { Message, MessageStatus } from "../messages/message.entity";

@ObjectType({ simpleResolvers: true, description: "Activity of an organization's agents in a period." })
export class Activity {
  @Field(() => TotalCount, {
    description: "Messages accepted in the period that were sent, but not confirmed as delivered.",
  })
  sent!: TotalCount;

  @Field(() => TotalCount, { description: "Messages accepted in the period that were delivered or read." })
  delivered!: TotalCount;

  @Field(() => TotalCount, { description: "Messages accepted in the period whose delivery was given up." })
  failed!: TotalCount;

  @Field(() => TotalCount, { description: "Decisions requested in the period." })
  decisions!: TotalCount;
}

/** Counts the actions of agents, using indexes and up to a limit, so that a large table costs no more than a small one. */
export class ActivityService {
  constructor(private readonly database: Database) {}

  /** The activity of the caller's organization since a period started. */
  count(context: RequestContext, period: UsagePeriod): Promise<Activity> {
    const organizationId = organizationOf(context);
    const firstId = leastUuidAt(startOf(period));
    return this.database.report(organizationId, async (reader) => {
      const messages = (...statuses: MessageStatus[]) =>
        countOf(
          reader,
          sinceIn(reader, Message, organizationId, firstId).andWhere("made.status IN (:...statuses)", {
            statuses,
          }),
        );
      return {
        sent: await messages(MessageStatus.sent),
        delivered: await messages(MessageStatus.delivered, MessageStatus.read),
        failed: await messages(MessageStatus.failed),
        decisions: await countOf(reader, sinceIn(reader, Decision, organizationId, firstId)),
      };
    });
  }
}

const countOf = async (...query: Parameters<typeof countRows>): Promise<TotalCount> =>
  new TotalCount(await countRows(...query));

/** The rows that an organization's agents created since a time; the IDs are in order of time. */
const sinceIn = (
  reader: EntityManager,
  entity: typeof Message | typeof Decision,
  organizationId: string,
  firstId: string,
) =>
  reader
    .createQueryBuilder<Message | Decision>(entity, "made")
    .innerJoin("made.agent", "agent")
    .where("agent.organization_id = :organizationId AND made.id >= :firstId", { organizationId, firstId });
