import { Field, ID, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { ConnectionOf } from "../../pagination/connection";
import { GraphQLJsonObject } from "../../schema/json-object";
import { ThirdPartyText } from "../../schema/third-party-text";

export const ContactRecordKind = enumOf("ContactRecordKind", "Kind of contact record.", {
  contact: "The contact itself.",
  address: "An address of the contact.",
  consent: "Consent to receive messages at one of the contact's addresses, for a topic or for all messages.",
  tag: "A tag on the contact.",
  conversation: "A conversation with the contact.",
  conversation_log_entry: "A change to a conversation with the contact.",
  message: "A message to or from the contact, with its delivery attempts.",
  decision: "A decision about the contact, with the data it was based on.",
  timer: "A timer that submits a situation to the agent later.",
  rule_match: "The last match of a rule with `once` set.",
  event:
    "An event about the contact itself. Events about its messages are omitted because they duplicate other records.",
  audit_entry: "An audit log entry about the contact.",
});
export type ContactRecordKind = keyof typeof ContactRecordKind;

@ObjectType({ description: "A stored record about a contact." })
export class ContactRecord {
  @Field(() => ID, { description: "Unique identifier of the record: its position in the export." })
  id!: string;

  @Field(() => ContactRecordKind, { description: "Kind of the record." })
  kind!: ContactRecordKind;

  @ThirdPartyText()
  @Field(() => GraphQLJsonObject, { description: "The record as stored." })
  data!: object;
}

/** True for a position in an export: a part's number and its `order` values, as printable ASCII. */
const isPosition = (text: string): boolean =>
  /^\d{1,2}(\/(?:[\w.~!*'()-]|%[2-7][\dA-F]){0,300}){1,2}$/.test(text);

export const ContactRecordConnection = ConnectionOf(ContactRecord, "contact_record", isPosition);
export type ContactRecordConnection = InstanceType<typeof ContactRecordConnection>;
