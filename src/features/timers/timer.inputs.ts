import { ArgsType, Field, ID, InputType } from "type-graphql";
import { Nullable } from "../../common/nullable";
import { PageArgs } from "../../pagination/connection";
import { ForMembers } from "../../schema/for-members";
import { InputById } from "../../schema/mutation-input";
import { SCOPED_AGENT_ID } from "../agents/agent.inputs";

@ArgsType()
export class TimersArgs extends PageArgs {
  @Field(() => ID, SCOPED_AGENT_ID)
  @ForMembers()
  agentId?: string | null | undefined;

  @Nullable(() => ID, "Only this contact's timers.")
  contactId?: string | null | undefined;
}

@InputType({ description: "A timer to cancel." })
export class CancelTimerInput extends InputById("timer") {}
