import { Field, Int, ObjectType } from "type-graphql";
import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { leastUuidAt } from "../../common/uuid";
import type { Database } from "../../database/database";
import { countRows, MAX_COUNT } from "../../pagination/total-count";
import { Decision } from "../decisions/decision.entity";
import { startOf } from "../key-usage/usage.service";
import type { UsagePeriod } from "../key-usage/usage.types";
import { Message } from "../messages/message.entity";
import { MessageStatus } from "../messages/message.enums";

@ObjectType({ simpleResolvers: true, description: "A number of messages or decisions." })
export class ActivityCount {
  @Field(() => Int, { description: "The count, capped at 10,000." })
  count!: number;

  @Field(() => Boolean, { description: "True if `count` is exact; false if it is capped." })
  isExact!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "Activity of an organization's agents in a period." })
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

/** Counts agents' actions by index and only up to a limit, so that large tables cost no more than small ones. */
export class ActivityService {
  constructor(private readonly database: Database) {}

  /** The activity in the caller's organization since the start of a period. */
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

async function countOf(...query: Parameters<typeof countRows>): Promise<ActivityCount> {
  const found = await countRows(...query);
  return { count: Math.min(found, MAX_COUNT), isExact: found <= MAX_COUNT };
}

/** The rows created by an organization's agents since a time; IDs are ordered by time. */
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
