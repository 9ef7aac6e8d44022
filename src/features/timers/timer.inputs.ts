import { ArgsType, ID, InputType } from "type-graphql";
import { Nullable } from "../../common/nullable";
import { PageArgs } from "../../pagination/connection";
import { ForMembers } from "../../schema/for-members";
import { InputById } from "../../schema/mutation-input";

@ArgsType()
export class TimersArgs extends PageArgs {
  @Nullable(
    () => ID,
    "ID of the agent. Required for members; not allowed with an API key, which belongs to one agent.",
  )
  @ForMembers()
  agentId?: string | null | undefined;

  @Nullable(() => ID, "Only this contact's timers.")
  contactId?: string | null | undefined;
}

@InputType({ description: "A timer to cancel." })
export class CancelTimerInput extends InputById("timer") {}
