import { Field, ID, InputType } from "type-graphql";

@InputType({ description: "Handoff e-mails to turn on or off." })
export class SetHandoffNoticesInput {
  @Field(() => ID, { description: "ID of the agent." })
  agentId!: string;

  @Field(() => Boolean, {
    description: "True to e-mail the member when one of the agent's conversations is handed off.",
  })
  enabled!: boolean;
}
