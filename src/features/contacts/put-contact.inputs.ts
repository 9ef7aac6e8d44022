import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Checked } from "../../common/checked";
import { enumOf } from "../../common/declared-enum";
import { JsonSchema } from "../../common/json-schema";
import { canonicalLocale, isTimeZone } from "../../common/locales";
import { Nullable, Optional } from "../../common/nullable";
import { ArrayMaxSize, ArrayNotEmpty, ValidateNested } from "../../common/validators";
import { ForMembers } from "../../schema/for-members";
import { ItemsApart } from "../../schema/items-apart";
import { GraphQLJsonObject, IsJsonObject } from "../../schema/json-object";
import { AtMost } from "../../schema/list-size";
import { NotForModels } from "../../schema/not-for-models";
import { type ObjectRule, Rule } from "../../schema/object-rule";
import { IsText } from "../../schema/text";
import { SCOPED_AGENT_ID } from "../agents/agent.inputs";
import { normalizeAddress } from "./addresses";
import { ConsentState } from "./consent.entity";
import { Contact } from "./contact.entity";
import {
  ADDRESS_MAX_LENGTH,
  ATTRIBUTES_MAX_BYTES,
  CONSENT_TOPIC_MAX_LENGTH,
  CONTACT_NAME_MAX_LENGTH,
  EVIDENCE_MAX_LENGTH,
  MAX_LISTED,
  MAX_PUT,
  MAX_PUT_CONSENTS,
  REF_MAX_LENGTH,
} from "./contact.limits";
import { AddressKind } from "./contact-address.entity";
import { AreTags } from "./tags";

/** Validates that the property is a language tag. */
export const IsLocale = () =>
  Checked("isLocale", (value) =>
    typeof value === "string" && canonicalLocale(value) !== undefined
      ? undefined
      : "must be a BCP 47 tag of a known language, such as de-CH",
  );

/** Validates that the property is a time zone. */
export const IsTimeZone = () =>
  Checked("isTimeZone", (value) =>
    typeof value === "string" && isTimeZone(value)
      ? undefined
      : "must be an IANA time zone such as Europe/Zurich",
  );

const ADDRESS_FITS_KIND: ObjectRule = {
  fields: ["kind", "address"],
  check(input) {
    const { kind, address } = input as unknown as NewAddress;
    const normalized = normalizeAddress(kind, address);
    return "problem" in normalized ? { path: "address", message: normalized.problem } : undefined;
  },
};

const HAS_REF_OR_ADDRESSES: ObjectRule = {
  fields: ["ref", "addresses"],
  check(input) {
    const { ref, addresses } = input as unknown as PutContactInput;
    return ref == null && (addresses ?? []).length === 0
      ? { path: "ref", message: "is required if there are no addresses" }
      : undefined;
  },
};

@InputType({ description: "An address of a contact." })
@Rule(ADDRESS_FITS_KIND)
export class NewAddress {
  @Field(() => AddressKind, { description: "Kind of address." })
  kind!: AddressKind;

  @Field(() => String, {
    description:
      "The address. E-mail addresses are lowercased. Phone numbers need a country code and are converted to E.164.",
  })
  @JsonSchema({ minLength: 1, maxLength: ADDRESS_MAX_LENGTH })
  address!: string;
}

@InputType({ description: "Consent for a topic at all of a contact's addresses. See `setConsent`." })
export class NewContactConsent {
  @Field(() => String, { description: "Topic name, or `*` for all topics." })
  @IsText(CONSENT_TOPIC_MAX_LENGTH, { singleLine: true })
  topic!: string;

  @Field(() => ConsentState, { description: "State of the consent." })
  state!: ConsentState;

  @Optional(() => String, "Evidence that the contact agreed or objected.")
  @IsText(EVIDENCE_MAX_LENGTH)
  evidence?: string | null | undefined;
}

@InputType({
  description:
    "A contact to create or change. An existing contact is found by `ref` or, if no contact has it, by the addresses. Omitted fields are left unchanged, and null clears a field. Null for `addresses` removes all of them and requires `ref`.",
})
@Rule(HAS_REF_OR_ADDRESSES)
export class PutContactInput {
  @Field(() => ID, SCOPED_AGENT_ID)
  @ForMembers()
  agentId?: string | null | undefined;

  @Optional(() => String, "Your own ID for the contact, 1 to 255 characters, unique within the agent.")
  @IsText(REF_MAX_LENGTH, { singleLine: true })
  ref?: string | null | undefined;

  @Optional(() => String, "Name, 1 to 200 characters.")
  @IsText(CONTACT_NAME_MAX_LENGTH, { singleLine: true })
  name?: string | null | undefined;

  @Optional(() => String, "Language as a BCP 47 tag of a known language, such as `de-CH`.")
  @IsLocale()
  locale?: string | null | undefined;

  @Optional(() => String, "IANA time zone, such as `Europe/Zurich`.")
  @IsTimeZone()
  timezone?: string | null | undefined;

  @Optional(
    () => GraphQLJsonObject,
    "Your own data about the contact, at most 8 KiB as JSON. Replaces all earlier attributes.",
  )
  @IsJsonObject(ATTRIBUTES_MAX_BYTES)
  attributes?: Record<string, unknown> | null | undefined;

  @Optional(() => [NewAddress], "Addresses to add. A contact can have at most 10.")
  @ValidateNested({ each: true })
  @ArrayMaxSize(MAX_LISTED, { message: `must have at most ${MAX_LISTED} items` })
  addresses?: NewAddress[] | null | undefined;

  @Nullable(() => [String], "Tags to add, case-insensitive.")
  @AreTags()
  tags?: string[] | null | undefined;

  @Optional(
    () => Int,
    "The version that the changes are based on. If it is not the current version, or the contact does not exist, the request is rejected with `version_conflict`.",
  )
  @ForMembers()
  expectedVersion?: number | null | undefined;

  @Optional(() => [NewContactConsent], "Consent per topic.")
  @ValidateNested({ each: true })
  @ArrayMaxSize(MAX_PUT_CONSENTS, { message: `must have at most ${MAX_PUT_CONSENTS} items` })
  @NotForModels()
  consents?: NewContactConsent[] | null | undefined;
}

@InputType({ description: "Contacts to create or change." })
export class PutContactsInput {
  @Field(() => [PutContactInput], { description: "The contacts to create or change, 1 to 500." })
  @ItemsApart()
  @ArrayNotEmpty({ message: "must have at least one item" })
  @ArrayMaxSize(MAX_PUT, { message: `must have at most ${MAX_PUT} items` })
  @JsonSchema({ minItems: 1, maxItems: MAX_PUT })
  contacts!: PutContactInput[];
}

@ObjectType({ description: "A contact after it was created or changed." })
export class StoredContact {
  @Field(() => Contact, { description: "The contact." })
  contact!: Contact;

  @Field(() => Boolean, { description: "True if the call created the contact." })
  created!: boolean;
}

export const PutContactError = enumOf("PutContactError", "Reason why a contact was not stored.", {
  invalid_request: "The contact is not valid.",
  conflict:
    "The `ref` and the addresses belong to different contacts, or consents are specified for a contact without an address.",
  limit_reached: "The contact would have too many addresses or tags.",
  version_conflict: "The contact is not at the expected version.",
});
export type PutContactError = keyof typeof PutContactError;

@ObjectType({ description: "The result for one contact in a batch." })
export class PutContactResult {
  @Nullable(() => ID, "ID of the contact, or null if it was not stored.")
  contactId!: string | null;

  @Field(() => Boolean, { description: "True if the call created the contact." })
  created!: boolean;

  @Nullable(() => PutContactError, "Reason why the contact was not stored, or null if it was stored.")
  errorCode!: PutContactError | null;

  @Nullable(() => String, "Human-readable error message.")
  errorText!: string | null;
}

@ObjectType({ description: "The results of a batch of contacts." })
export class PutContactsPayload {
  @AtMost(MAX_PUT)
  @Field(() => [PutContactResult], { description: "The result for each contact, in the order of the input." })
  results!: PutContactResult[];
}
