import { ArgsType, Field, ID, InputType } from "type-graphql";
import { IsSlug } from "../../common/slug";
import { IdempotentInput } from "../../schema/idempotent.input";
import { HoldsNoToken, IsText } from "../../schema/text";
import { AGENT_NAME_MAX_LENGTH } from "./agent.limits";

@InputType({ description: "An agent to create." })
export class NewAgent extends IdempotentInput {
  @Field(() => String, {
    description:
      "Short name for the command line and logs: 1 to 63 characters (a-z, 0-9 and hyphens), without leading, trailing or consecutive hyphens. It is unique across the service, including deleted agents, and cannot be changed later.",
  })
  @IsSlug()
  @HoldsNoToken()
  slug!: string;

  @Field(() => String, {
    description: "Display name, 1 to 200 characters; leading and trailing whitespace is trimmed.",
  })
  @IsText(AGENT_NAME_MAX_LENGTH, { trimmed: true, singleLine: true })
  @HoldsNoToken()
  name!: string;
}

@ArgsType()
export class RenameAgentArgs {
  @Field(() => ID, { description: "ID of the agent." })
  id!: string;

  @Field(() => String, { description: "The new display name, subject to the same rules as `NewAgent.name`." })
  @IsText(AGENT_NAME_MAX_LENGTH, { trimmed: true, singleLine: true })
  @HoldsNoToken()
  name!: string;
}
