import { Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from "type-graphql";
import { PERMISSIONS, Permission } from "../../auth/permissions";
import { applyDecorators } from "../../common/apply-decorators";
import { Checked } from "../../common/checked";
import { Nullable, Optional } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { ArrayMaxSize, IsEnum, isEmail, Length, MaxLength, Satisfies } from "../../common/validators";
import { InputById } from "../../schema/mutation-input";
import { type ObjectRule, Rule } from "../../schema/object-rule";
import { IsLine } from "../../schema/text";
import { Member } from "./member.entity";

const PASSWORD_MIN_LENGTH = 12;
const PASSWORD_MAX_LENGTH = 200;

export const NO_SUCH_PERMISSION = { message: `must be one of ${PERMISSIONS.join(", ")}` };

/** Validates a new password: only its length, as NIST SP 800-63B recommends. */
export const IsPassword = () =>
  Length(PASSWORD_MIN_LENGTH, PASSWORD_MAX_LENGTH, {
    message: `must have ${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters`,
  });

const EMAIL_MAX_LENGTH = 254;

/** Trims and lowercases an e-mail address, because addresses are case-insensitive. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** Validates an e-mail address and the length of its lowercase form, which can be longer. */
export const IsMemberEmail = () =>
  Checked("isMemberEmail", (value) => {
    if (typeof value !== "string" || !isEmail(value)) return "must be an e-mail address";
    return normalizeEmail(value).length > EMAIL_MAX_LENGTH
      ? `must have at most ${EMAIL_MAX_LENGTH} characters`
      : undefined;
  });

const MEMBER_NAME_MAX_LENGTH = 100;

/** Validates a member's name, which must not contain an @, so that it does not look like an e-mail address. */
export const IsMemberName = () =>
  applyDecorators(
    IsLine(MEMBER_NAME_MAX_LENGTH),
    Satisfies(
      "holdsNoAt",
      (value) => typeof value !== "string" || !/[@\uff20\ufe6b]/.test(value),
      "must not contain an @",
    ),
  );

/** Limits the length of a password to verify, because hashing long passwords takes a long time. */
export const IsShortEnough = () =>
  MaxLength(PASSWORD_MAX_LENGTH, { message: `must have at most ${PASSWORD_MAX_LENGTH} characters` });

/** A password set on the command line. */
export class NewPassword {
  @IsPassword()
  password!: string;
}

/** A member to create from the command line. */
export class NewMember extends NewPassword {
  @IsMemberEmail()
  email!: string;

  @IsEnum(Permission, { ...NO_SUCH_PERMISSION, each: true })
  permissions!: Permission[];
}

@InputType()
abstract class MemberPermission {
  @Field(() => ID, { description: "ID of the member." })
  memberId!: string;

  @Field(() => Permission, { description: "The permission." })
  @IsEnum(Permission, NO_SUCH_PERMISSION)
  permission!: Permission;
}

@InputType({ description: "A member and a permission to grant." })
export class GrantPermissionInput extends MemberPermission {}

@InputType({ description: "A member and a permission to revoke." })
export class RevokePermissionInput extends MemberPermission {}

/** Rejects a permission that an input both grants and revokes, because the intent is ambiguous. */
const GRANTS_OR_REVOKES: ObjectRule = {
  fields: ["grant", "revoke"],
  check: ({ grant, revoke }) =>
    Array.isArray(grant) && Array.isArray(revoke) && grant.some((each) => revoke.includes(each))
      ? { path: "revoke", message: "must not contain a permission that is also in grant" }
      : undefined,
};

@InputType({ description: "A member, with the permissions to grant and to revoke." })
@Rule(GRANTS_OR_REVOKES)
export class ChangePermissionsInput {
  @Field(() => ID, { description: "ID of the member." })
  memberId!: string;

  @Optional(() => [Permission], "The permissions to grant.")
  @ArrayMaxSize(20, { message: "must have at most 20 items" })
  @IsEnum(Permission, { ...NO_SUCH_PERMISSION, each: true })
  grant?: readonly Permission[] | null | undefined;

  @Optional(() => [Permission], "The permissions to revoke.")
  @ArrayMaxSize(20, { message: "must have at most 20 items" })
  @IsEnum(Permission, { ...NO_SUCH_PERMISSION, each: true })
  revoke?: readonly Permission[] | null | undefined;
}

@InputType({ description: "A member to remove." })
export class RemoveMemberInput extends InputById("member") {}

@InputType({ description: "A member to unlink from their OpenID Connect account." })
export class UnlinkIdentityInput {
  @Field(() => ID, { description: "ID of the member." })
  memberId!: string;
}

@InputType({ description: "A member's credentials." })
export class SignInInput {
  @Field(() => String, { description: "E-mail address, case-insensitive." })
  @MaxLength(EMAIL_MAX_LENGTH, { message: `must have at most ${EMAIL_MAX_LENGTH} characters` })
  email!: string;

  @Field(() => String, { description: "Password." })
  @IsShortEnough()
  password!: string;
}

@InputType({ description: "Credentials of a member who signs in from a browser." })
export class SignInWithCookieInput extends SignInInput {}

@InputType({ description: "A session to end." })
export class EndSessionInput extends InputById("session") {}

@InputType({ description: "A change to the member's password." })
export class ChangePasswordInput {
  @Optional(() => String, "The member's current password, or null if they have none.")
  @IsShortEnough()
  currentPassword?: string | null;

  @Field(() => String, { description: "The new password, 12 to 200 characters." })
  @IsPassword()
  newPassword!: string;
}

@InputType({ description: "A change to the member's e-mail address." })
export class ChangeEmailInput {
  @Field(() => String, { description: "The new e-mail address to sign in with." })
  @IsMemberEmail()
  email!: string;
}

@InputType({ description: "A change to the member's name." })
export class ChangeNameInput {
  @Optional(
    () => String,
    "The new name, 1 to 100 characters without an @. If null or omitted, the name is removed.",
  )
  @IsMemberName()
  name?: string | null;
}

@ObjectType({ description: "The available sign-in methods." })
export class SignInOptions {
  @Field(() => Boolean, { description: "True if members can sign in with a password." })
  password!: boolean;

  @Nullable(
    () => String,
    "Name of the OpenID Connect issuer, as shown on the sign-in page, or null if there is none.",
  )
  issuerName!: string | null;
}

@ObjectType({ description: "A newly opened session that the browser stores in a cookie." })
export class CookieSession {
  @Field(() => GraphQLISODateTime, { description: "When the session expires." })
  expiresAt!: Timestamp;

  @Field(() => Member, { description: "The member who signed in." })
  member!: Member;
}

@ObjectType({ description: "A newly opened session and its token." })
export class SignedIn extends CookieSession {
  @Field(() => String, {
    description: "Session token, for `Authorization: Bearer …`. It is shown only in this response.",
  })
  token!: string;
}

@ObjectType({ description: "Result of signing out." })
export class SignOutPayload {
  @Field(() => Boolean, { description: "True if the session was still active." })
  wasActive!: boolean;
}

@ObjectType({ description: "Result of signing out everywhere." })
export class SignOutEverywherePayload {
  @Field(() => Int, { description: "Number of sessions that ended." })
  endedSessions!: number;
}
