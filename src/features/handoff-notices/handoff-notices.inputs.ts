import { Field, ID, InputType } from "type-graphql";

@InputType({ description: "Whether the signed-in member gets e-mails about the handoffs of an agent." })
export class SetHandoffNoticesInput {
  @Field(() => ID, { description: "ID of the agent." })
  agentId!: string;

  @Field(() => Boolean, {
    description: "True for an e-mail when a conversation of the agent is handed off.",
  })
  enabled!: boolean;
}
