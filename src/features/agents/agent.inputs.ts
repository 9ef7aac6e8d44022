import { Field, InputType } from "type-graphql";
import { IsSlug } from "../../common/slug";
import { IdempotentInput } from "../../schema/idempotent.input";
import { InputById } from "../../schema/mutation-input";
import { HoldsNoToken, IsLine } from "../../schema/text";
import { AGENT_NAME_MAX_LENGTH } from "./agent.limits";

/** Options of an input field whose value, an agent ID, is passed to `scopedAgentId`. */
export const SCOPED_AGENT_ID = {
  nullable: true,
  description:
    "ID of the agent. Required for members, but not allowed with an API key, which belongs to one agent.",
};

/** Options of an input field whose value, an agent ID, is passed to `scopedAgentIds`. */
export const SCOPED_AGENT_IDS = {
  nullable: true,
  description:
    "ID of the agent. If a member omits it, all agents of the organization are included. Not allowed with an API key, which belongs to one agent.",
};

@InputType({ description: "An agent to create." })
export class CreateAgentInput extends IdempotentInput {
  @Field(() => String, {
    description:
      "Short name for the command line and logs: 1 to 63 characters (a-z, 0-9 and hyphens), without leading, trailing or consecutive hyphens. It is unique across the service, including deleted agents, and cannot be changed later.",
  })
  @IsSlug()
  @HoldsNoToken()
  slug!: string;

  @Field(() => String, {
    description: "Display name, 1 to 200 characters. Leading and trailing whitespace is trimmed.",
  })
  @IsLine(AGENT_NAME_MAX_LENGTH)
  name!: string;
}

const AgentById = InputById("agent");

@InputType({ description: "An agent and its new display name." })
export class RenameAgentInput extends AgentById {
  @Field(() => String, {
    description: "The new display name, subject to the same rules as `CreateAgentInput.name`.",
  })
  @IsLine(AGENT_NAME_MAX_LENGTH)
  name!: string;
}

@InputType({ description: "An agent to delete." })
export class DeleteAgentInput extends AgentById {}
