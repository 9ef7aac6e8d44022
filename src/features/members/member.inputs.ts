import { IsEmail, IsEnum, Length, MaxLength } from "class-validator";
import { ArgsType, Field, GraphQLISODateTime, ID, InputType, ObjectType } from "type-graphql";
import { PERMISSIONS, Permission } from "../../auth/permissions";
import type { Timestamp } from "../../common/time";
import { Member } from "./member.entity";

const PASSWORD_MIN = 12;
const PASSWORD_MAX = 200;

const NO_SUCH_PERMISSION = { message: `must be one of ${PERMISSIONS.join(", ")}` };

/** A password that may be chosen: by length alone, as NIST SP 800-63B advises. */
const IsPassword = () =>
  Length(PASSWORD_MIN, PASSWORD_MAX, { message: `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters` });

/** A password that somebody at the command line chooses. */
export class NewPassword {
  @IsPassword()
  password!: string;
}

/** A member to create, from the command line. */
export class NewMember extends NewPassword {
  @IsEmail({}, { message: "must be an e-mail address" })
  @MaxLength(254, { message: "must have at most 254 characters" })
  email!: string;

  @IsEnum(Permission, { ...NO_SUCH_PERMISSION, each: true })
  permissions!: Permission[];
}

@ArgsType()
export class PermissionArgs {
  @Field(() => ID, { description: "ID of the member." })
  memberId!: string;

  @Field(() => Permission, { description: "The permission." })
  @IsEnum(Permission, NO_SUCH_PERMISSION)
  permission!: Permission;
}

@InputType({ description: "What a member signs in with." })
export class SignInInput {
  @Field(() => String, { description: "E-mail address, in any case." })
  @MaxLength(254, { message: "must have at most 254 characters" })
  email!: string;

  @Field(() => String, { description: "Password." })
  @MaxLength(PASSWORD_MAX, { message: `must have at most ${PASSWORD_MAX} characters` })
  password!: string;
}

@InputType({ description: "A password to replace the present one." })
export class ChangePasswordInput {
  @Field(() => String, { description: "The present password." })
  @MaxLength(PASSWORD_MAX, { message: `must have at most ${PASSWORD_MAX} characters` })
  currentPassword!: string;

  @Field(() => String, { description: "The new password, 12 to 200 characters." })
  @IsPassword()
  newPassword!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "A session that was just opened, and that the browser keeps in a cookie.",
})
export class CookieSession {
  @Field(() => GraphQLISODateTime, { description: "When the session ends by itself." })
  expiresAt!: Timestamp;

  @Field(() => Member, { description: "Who signed in." })
  member!: Member;
}

@ObjectType({ simpleResolvers: true, description: "A session that was just opened." })
export class SignedIn extends CookieSession {
  @Field(() => String, {
    description: "Session token, for `Authorization: Bearer …`. It cannot be had again.",
  })
  token!: string;
}
