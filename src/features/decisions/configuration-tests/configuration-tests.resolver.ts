import { ValidateNested } from "class-validator";
import { Args, ArgsType, Ctx, Field, ID, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../../auth/context";
import { Optional } from "../../../common/nullable";
import { Access } from "../../../schema/access";
import { AGENT_ID } from "../decision.inputs";
import { DECIDE } from "../decision.resolver";
import { ReplayAgainst } from "../replay";
import { ConfigurationTests } from "./configuration-tests.outputs";
import type { ConfigurationTestService } from "./configuration-tests.service";

@ArgsType()
class RunConfigurationTestsArgs {
  @Field(() => ID, AGENT_ID)
  agentId?: string | null | undefined;

  @Optional(() => ReplayAgainst, "The configuration; the live one if omitted.")
  @ValidateNested()
  against?: ReplayAgainst | null | undefined;
}

@Resolver()
export class ConfigurationTestsResolver {
  constructor(private readonly service: ConfigurationTestService) {}

  @Access(DECIDE)
  @Query(() => ConfigurationTests, {
    description:
      "Runs the tests of an agent's configuration, of its draft or of a document. Nothing is stored or sent.",
  })
  runConfigurationTests(
    @Ctx() context: RequestContext,
    @Args(() => RunConfigurationTestsArgs) { agentId, against }: RunConfigurationTestsArgs,
  ): Promise<ConfigurationTests> {
    return this.service.run(context, agentId, against);
  }
}
