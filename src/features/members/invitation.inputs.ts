import { Field, InputType, ObjectType } from "type-graphql";
import { Permission } from "../../auth/permissions";
import { enumOf } from "../../common/declared-enum";
import { Nullable, Optional } from "../../common/nullable";
import { ArrayMaxSize, IsEnum, MaxLength } from "../../common/validators";
import { IdempotentInput } from "../../schema/idempotent.input";
import { MaxCharacters } from "../../schema/list-size";
import { InputById } from "../../schema/mutation-input";
import { Invitation } from "./invitation.entity";
import { IsMemberEmail, IsMemberName, IsPassword, NO_SUCH_PERMISSION } from "./member.inputs";

const LINK_MAX_LENGTH = 2_200;

/** Max length of a token, with some margin; longer strings are rejected. */
const TOKEN_MAX_LENGTH = 100;

@InputType({ description: "A person to invite." })
export class InviteMemberInput extends IdempotentInput {
  @Field(() => String, {
    description:
      "E-mail address of the person to invite, case-insensitive. A pending invitation to the same address is replaced.",
  })
  @IsMemberEmail()
  email!: string;

  @Field(() => [Permission], {
    defaultValue: [],
    description: "Permissions that the member will have. Defaults to none.",
  })
  @ArrayMaxSize(20, { message: "must have at most 20 items" })
  @IsEnum(Permission, { ...NO_SUCH_PERMISSION, each: true })
  permissions!: Permission[];
}

@InputType({ description: "An invitation token, and the new member's password and name." })
export class AcceptInvitationInput {
  @Field(() => String, { description: "Invitation token: the part of the link after `#`." })
  @MaxLength(TOKEN_MAX_LENGTH, { message: "must be an invitation token" })
  token!: string;

  @Field(() => String, { description: "Password to sign in with, 12 to 200 characters." })
  @IsPassword()
  password!: string;

  @Optional(() => String, "Name of the member, 1 to 100 characters without an @.")
  @IsMemberName()
  name?: string | null;
}

@InputType({
  description: "An invitation token, and the new member's password and name, sent from a browser.",
})
export class AcceptInvitationWithCookieInput extends AcceptInvitationInput {}

@InputType({ description: "An invitation to withdraw." })
export class WithdrawInvitationInput extends InputById("invitation") {}

export const InvitationMail = enumOf("InvitationMail", "Outcome of sending an invitation link by e-mail.", {
  sent: "The mail server accepted the e-mail.",
  failed: "The mail server did not accept the e-mail. Send the link yourself.",
  off: "The server does not send e-mail. Send the link yourself.",
});
export type InvitationMail = keyof typeof InvitationMail;

@ObjectType({ description: "A new invitation and its link." })
export class NewInvitation {
  @Field(() => Invitation, { description: "The invitation." })
  invitation!: Invitation;

  @Nullable(
    () => String,
    "Link to the page where the person accepts the invitation. It works once and is shown only in this response. Null for a repeated request with the same idempotency key.",
  )
  @MaxCharacters(LINK_MAX_LENGTH)
  link!: string | null;

  @Nullable(
    () => InvitationMail,
    "Outcome of sending the link by e-mail, or null for a repeated request, which sends nothing.",
  )
  mail!: InvitationMail | null;
}
