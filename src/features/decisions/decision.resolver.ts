import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission, Scope } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { DecisionConnection } from "./decision.connection";
import { Decision } from "./decision.entity";
import { DecideInput, DecisionsArgs } from "./decision.inputs";
import type { DecisionService } from "./decision.service";

const READ = { key: Scope.agent_read, member: Permission.conversations_read };
const DECIDE = { key: Scope.agent_decide, member: Permission.config_manage };

@Resolver(() => Decision)
export class DecisionResolver {
  constructor(private readonly service: DecisionService) {}

  @Access(READ)
  @Query(() => Decision, { nullable: true, description: "One decision; null if it does not exist." })
  decision(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the decision." }) id: string,
  ): Promise<Decision | null> {
    return this.service.find(context, id);
  }

  @Access(READ)
  @Query(() => DecisionConnection, { description: "The decisions of an agent, newest first." })
  decisions(
    @Ctx() context: RequestContext,
    @Args(() => DecisionsArgs) args: DecisionsArgs,
  ): Promise<DecisionConnection> {
    return this.service.list(context, args);
  }

  @Access(DECIDE)
  @Mutation(() => Decision, {
    description:
      "Hands a situation to an agent, which decides by its configuration what to do, and does it: all in one transaction, and once per idempotency key.",
  })
  decide(
    @Ctx() context: RequestContext,
    @Arg("input", () => DecideInput, { description: "The situation." }) input: DecideInput,
  ): Promise<Decision> {
    return this.service.decide(context, input);
  }
}
