import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../../auth/context";
import { Optional } from "../../../common/nullable";
import { ValidateNested } from "../../../common/validators";
import { Access } from "../../../schema/access";
import { GraphQLJsonObject } from "../../../schema/json-object";
import { MaxCharacters } from "../../../schema/list-size";
import { SCOPED_AGENT_ID } from "../../agents/agent.inputs";
import { MAY_READ_CONVERSATIONS } from "../../conversations/conversation.access";
import { DECIDE } from "../decision.access";
import { Decision } from "../decision.entity";
import { ReplayAgainst } from "../replay";
import { ConfigurationTests, TEST_MAX_CHARACTERS, TestFromDecision } from "./configuration-tests.outputs";
import type { ConfigurationTestService } from "./configuration-tests.service";

@ArgsType()
class RunConfigurationTestsArgs {
  @Field(() => ID, SCOPED_AGENT_ID)
  agentId?: string | null | undefined;

  @Optional(() => ReplayAgainst, "The configuration to test. Defaults to the live configuration.")
  @ValidateNested()
  against?: ReplayAgainst | null | undefined;
}

@Resolver(() => Decision)
export class ConfigurationTestsResolver {
  constructor(private readonly service: ConfigurationTestService) {}

  @Access({ ...DECIDE, organizationKey: "configuration:publish" })
  @Query(() => ConfigurationTests, {
    description:
      "Runs the tests of an agent's configuration, its draft or a document, without storing or sending anything.",
  })
  runConfigurationTests(
    @Ctx() context: RequestContext,
    @Args() { agentId, against }: RunConfigurationTestsArgs,
  ): Promise<ConfigurationTests> {
    return this.service.run(context, agentId, against);
  }

  @Access({ ...DECIDE, member: MAY_READ_CONVERSATIONS.member })
  @Query(() => TestFromDecision, {
    description:
      "Creates a configuration test from a recorded decision, with the contact's name and addresses replaced. API keys also need `contacts:read` and `conversations:read`.",
  })
  async testFromDecision(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the decision." }) id: string,
    @Arg("against", () => ReplayAgainst, {
      nullable: true,
      description:
        "The configuration that determines the test's expectations. Among members, only managers can set it. Defaults to the decision's configuration.",
    })
    against?: ReplayAgainst | null,
  ): Promise<TestFromDecision> {
    return { test: await this.service.fromDecision(context, id, against) };
  }

  @Access(MAY_READ_CONVERSATIONS)
  @FieldResolver(() => GraphQLJsonObject, {
    nullable: true,
    description:
      "The dry run as a configuration test, as returned by `testFromDecision`, or null for a recorded decision. API keys need `contacts:read` and `conversations:read`.",
  })
  @MaxCharacters(TEST_MAX_CHARACTERS)
  test(@Ctx() context: RequestContext, @Root() decision: Decision): Promise<object | null> {
    return this.service.fromDryRun(context, decision);
  }
}
