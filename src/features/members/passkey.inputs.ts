import { Field, GraphQLISODateTime, ID, InputType, ObjectType } from "type-graphql";
import { Optional } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { ArrayMaxSize, MaxLength, ValidateNested } from "../../common/validators";
import { GraphQLJsonObject } from "../../schema/json-object";
import { MaxCharacters } from "../../schema/list-size";
import { InputById } from "../../schema/mutation-input";
import { OneOf } from "../../schema/one-of";
import { IsLine } from "../../schema/text";
import { IsShortEnough, SignInInput } from "./member.inputs";

const NAME_MAX_LENGTH = 100;

/** Max length of base64url data from an authenticator or browser. */
const PART_MAX_LENGTH = 8_192;

/** Max length of the options, which list the IDs of a member's passkeys. */
const OPTIONS_MAX_LENGTH = 40_000;

const IsPart = () =>
  MaxLength(PART_MAX_LENGTH, { message: `must have at most ${PART_MAX_LENGTH} characters` });

@InputType()
abstract class PasskeyAnswer {
  @Field(() => ID, { description: "`id` of the browser's credential, in base64url." })
  @IsPart()
  credentialId!: string;

  @Field(() => String, {
    description: "`response.clientDataJSON` of the browser's credential, in base64url.",
  })
  @IsPart()
  clientDataJSON!: string;
}

@InputType({ description: "A new passkey, as returned by `navigator.credentials.create` in the browser." })
export class AddPasskeyInput extends PasskeyAnswer {
  @Field(() => String, {
    description: "Name that tells the member's passkeys apart, 1 to 100 characters.",
  })
  @IsLine(NAME_MAX_LENGTH)
  name!: string;

  @Field(() => String, {
    description: "`response.attestationObject` of the browser's credential, in base64url.",
  })
  @IsPart()
  attestationObject!: string;

  @Field(() => [String], {
    defaultValue: [],
    description: "Transports that browsers use to reach the authenticator, from `response.getTransports()`.",
  })
  @ArrayMaxSize(10, { message: "must have at most 10 items" })
  @MaxLength(20, { each: true, message: "must have at most 20 characters" })
  transports!: string[];
}

@InputType({ description: "A passkey and its new name." })
export class RenamePasskeyInput extends InputById("passkey") {
  @Field(() => String, { description: "The new name, 1 to 100 characters." })
  @IsLine(NAME_MAX_LENGTH)
  name!: string;
}

@InputType({ description: "A passkey to remove." })
export class RemovePasskeyInput extends InputById("passkey") {}

@InputType({ description: "A passkey sign-in to start." })
export class StartPasskeySignInInput {
  @Optional(
    () => SignInInput,
    "Credentials that `signIn` rejected with `passkey_required`. If omitted, the browser offers the passkeys that it knows.",
  )
  @ValidateNested()
  credentials?: SignInInput | null | undefined;
}

@InputType({
  description: "A passkey signature, as returned by `navigator.credentials.get` in the browser.",
})
export class SignInWithPasskeyInput extends PasskeyAnswer {
  @Field(() => String, {
    description: "`response.authenticatorData` of the browser's credential, in base64url.",
  })
  @IsPart()
  authenticatorData!: string;

  @Field(() => String, { description: "`response.signature` of the browser's credential, in base64url." })
  @IsPart()
  signature!: string;

  @Optional(() => String, "`response.userHandle` of the browser's credential, in base64url.")
  @IsPart()
  userHandle?: string | null | undefined;
}

@InputType({ description: "The passkey signature of a member who signs in from a browser." })
export class SignInWithPasskeyAndCookieInput extends SignInWithPasskeyInput {}

@OneOf()
@InputType({ description: "Proof that the member is still using the session." })
export class ConfirmSignInInput {
  @Optional(() => String, "The member's current password, only for members without passkeys.")
  @IsShortEnough()
  password?: string;

  @Optional(() => SignInWithPasskeyInput, "A signature made with one of the member's passkeys.")
  @ValidateNested()
  passkey?: SignInWithPasskeyInput;
}

@ObjectType({ description: "A single-use challenge for an authenticator." })
export class PasskeyOptions {
  @Field(() => GraphQLJsonObject, {
    description:
      "The argument of the browser's `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.",
  })
  @MaxCharacters(OPTIONS_MAX_LENGTH)
  options!: object;

  @Field(() => GraphQLISODateTime, { description: "When the challenge expires." })
  expiresAt!: Timestamp;
}
