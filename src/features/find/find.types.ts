import { ArgsType, Field, ID, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import { Uuid } from "../../common/uuid";
import { HoldsNoToken, IsText } from "../../schema/text";
import { ThirdPartyText } from "../../schema/third-party-text";
import { FIND_MAX_LENGTH } from "./find.limits";

export const FoundKind = enumOf("FoundKind", "Kind of a resource found by `find`.", {
  api_key: "An API key.",
  agent: "An agent.",
  line: "A line.",
  contact: "A contact.",
  conversation: "A conversation.",
  message: "A message.",
  decision: "A decision.",
  timer: "A waiting timer.",
  event: "An event.",
  webhook_endpoint: "A webhook endpoint.",
  webhook_delivery: "A delivery of an event to a webhook endpoint.",
  member: "A member.",
});
export type FoundKind = keyof typeof FoundKind;

@ObjectType({ description: "A resource found by `find`." })
export class Found {
  @Field(() => FoundKind, { description: "Kind of the resource." })
  kind!: FoundKind;

  @Field(() => ID, { description: "Unique identifier of the resource." })
  @Uuid
  id!: string;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Name of the resource. For a conversation, its contact's name. For a message, the beginning of its text. For other resources without a name, their type. Null if there is none.",
  )
  title!: string | null;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Distinguishing detail, such as an address, the public part of a key, or the key of a situation.",
  )
  detail!: string | null;

  @Nullable(() => String, "Name of the agent that the resource belongs to, or null if it belongs to none.")
  agentName!: string | null;

  @Field(() => String, {
    description:
      "Resource to open, in the format of an event's subject, such as `contact:<id>`. For a timer, an event or a delivery, the resource that it is about; otherwise, the found resource.",
  })
  subject!: string;

  @Nullable(() => ID, "For a webhook delivery, the ID of the event. Null for other resources.")
  @Uuid
  eventId!: string | null;
}

@ArgsType()
export class FindArgs {
  @Field(() => String, {
    description:
      "An ID, the public part of an API key, a phone number in any notation, an e-mail address, a name or its beginning, or the key of a situation, such as an order number. It must not contain a whole API key.",
  })
  @IsText(FIND_MAX_LENGTH)
  @HoldsNoToken()
  text!: string;
}
