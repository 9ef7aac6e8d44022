import { ArgsType, Field, ID, InputType, ObjectType } from "type-graphql";
import { Nullable, Optional } from "../../common/nullable";
import { ArrayMaxSize } from "../../common/validators";
import { MAX_PAGE, OrderedPageArgs, PageArgs } from "../../pagination/connection";
import { AtMost } from "../../schema/list-size";
import { InputById } from "../../schema/mutation-input";
import { type ObjectRule, Rule } from "../../schema/object-rule";
import { OneOf } from "../../schema/one-of";
import { IsText } from "../../schema/text";
import { SCOPED_AGENT_ID } from "../agents/agent.inputs";
import { ConsentState } from "./consent.entity";
import {
  CONSENT_TOPIC_MAX_LENGTH,
  EVIDENCE_MAX_LENGTH,
  MAX_LISTED,
  MAX_TAGS,
  TERM_MAX_LENGTH,
} from "./contact.limits";
import { AreTags, IsTag } from "./tags";

const AGENT_ID_IS_FOR_REF: ObjectRule = {
  fields: ["by", "agentId"],
  check: ({ by, agentId }) =>
    (by as ContactBy).id != null && agentId != null
      ? { path: "agentId", message: "is not allowed with by.id" }
      : undefined,
};

@InputType({ description: "Identifies one of an agent's contacts." })
@OneOf()
export class ContactBy {
  @Nullable(() => ID, "ID of the contact.")
  id?: string | null | undefined;

  @Nullable(() => String, "Your own ID for the contact.")
  ref?: string | null | undefined;
}

@ArgsType()
@Rule(AGENT_ID_IS_FOR_REF)
export class ContactArgs {
  @Field(() => ContactBy, { description: "The contact, by its ID or `ref`." })
  by!: ContactBy;

  @Nullable(() => ID, "ID of the agent. Required with `ref` for members, but not allowed with an API key.")
  agentId?: string | null | undefined;
}

@ArgsType()
export class ContactsArgs extends OrderedPageArgs {
  @Field(() => ID, SCOPED_AGENT_ID)
  agentId?: string | null | undefined;

  @Optional(() => String, "Only contacts with this tag, case-insensitive.")
  @IsTag()
  tag?: string | null | undefined;

  @Optional(
    () => String,
    "Only contacts whose `ref`, address, name or a word in the name starts with this text (the first 1,000 alphabetically), or whose name contains all words of the text (the last may be incomplete). Case-insensitive.",
  )
  @IsText(TERM_MAX_LENGTH)
  search?: string | null | undefined;

  @Optional(() => [ID], "Only contacts with one of these IDs, at most 100.")
  @ArrayMaxSize(MAX_PAGE)
  ids?: string[] | null | undefined;
}

@ArgsType()
export class ContactExportArgs extends PageArgs {
  @Field(() => ID, { description: "ID of the contact." })
  id!: string;
}

@InputType({ description: "A contact's address to mark as deliverable." })
export class MarkAddressDeliverableInput extends InputById("contact") {
  @Field(() => ID, { description: "ID of the address." })
  addressId!: string;
}

@InputType({ description: "A consent to set." })
export class SetConsentInput extends InputById("contact") {
  @Field(() => String, {
    description: "Name of a topic in the agent's live policy, or `*` for all messages.",
  })
  @IsText(CONSENT_TOPIC_MAX_LENGTH, { singleLine: true })
  topic!: string;

  @Field(() => ConsentState, { description: "State of the consent." })
  state!: ConsentState;

  @Optional(
    () => ID,
    "ID of the address that the consent applies to. Defaults to all the contact's addresses.",
  )
  addressId?: string | null | undefined;

  @Optional(() => String, "Evidence that the contact agreed or objected, such as a form and its date.")
  @IsText(EVIDENCE_MAX_LENGTH)
  evidence?: string | null | undefined;
}

@InputType({ description: "A contact to erase." })
export class EraseContactInput extends InputById("contact") {}

@InputType({ description: "Changes to a contact's tags. A contact can have at most 50 tags." })
export class ChangeContactTagsInput extends InputById("contact") {
  @Nullable(() => [String], "Tags to add, case-insensitive.")
  @AreTags()
  add?: string[] | null | undefined;

  @Nullable(() => [String], "Tags to remove, case-insensitive.")
  @AreTags()
  remove?: string[] | null | undefined;
}

@ObjectType({ description: "A contact's tags after a change." })
export class TagChange {
  @Field(() => [String], { description: "All tags of the contact, in alphabetical order." })
  @AtMost(MAX_TAGS)
  tags!: string[];

  @Field(() => [String], { description: "The tags that the change added or removed, in alphabetical order." })
  @AtMost(MAX_LISTED * 2)
  changed!: string[];
}
