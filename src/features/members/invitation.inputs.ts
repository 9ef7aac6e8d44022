import { Field, InputType, ObjectType, registerEnumType } from "type-graphql";
import { Permission } from "../../auth/permissions";
import { ArrayMaxSize, IsEmail, IsEnum, MaxLength } from "../../common/validators";
import { MaxCharacters } from "../../schema/list-size";
import { Invitation } from "./invitation.entity";
import { IsPassword, NO_SUCH_PERMISSION } from "./member.inputs";

/** Max length of a link: a URL and its token. */
const LINK_MAX_LENGTH = 2_200;

/** Max length of a token, with room to tell that a longer text is none. */
const TOKEN_MAX_LENGTH = 100;

const IsToken = () => MaxLength(TOKEN_MAX_LENGTH, { message: "must be the token of an invitation" });

@InputType({ description: "A person to invite." })
export class InviteMemberInput {
  @Field(() => String, {
    description: "E-mail address of the person, case-insensitive. A pending invitation of it is replaced.",
  })
  @IsEmail({}, { message: "must be an e-mail address" })
  @MaxLength(254, { message: "must have at most 254 characters" })
  email!: string;

  @Field(() => [Permission], {
    defaultValue: [],
    description: "Permissions that the member will have; none if omitted.",
  })
  @ArrayMaxSize(20, { message: "must have at most 20 items" })
  @IsEnum(Permission, { ...NO_SUCH_PERMISSION, each: true })
  permissions!: Permission[];
}

@InputType({ description: "The acceptance of an invitation." })
export class AcceptInvitationInput {
  @Field(() => String, { description: "Token of the invitation: the part of its link after `#`." })
  @IsToken()
  token!: string;

  @Field(() => String, { description: "Password to sign in with, 12 to 200 characters." })
  @IsPassword()
  password!: string;
}

/** Result of sending a link by mail. */
export enum InvitationMail {
  sent = "sent",
  failed = "failed",
  off = "off",
}

registerEnumType(InvitationMail, {
  name: "InvitationMail",
  description: "Delivery of an invitation's link by mail.",
  valuesConfig: {
    sent: { description: "The mail server has accepted the mail." },
    failed: { description: "The mail server did not accept the mail: pass the link on yourself." },
    off: { description: "The server sends no mail: pass the link on yourself." },
  },
});

@ObjectType({ simpleResolvers: true, description: "A new invitation and its link." })
export class NewInvitation {
  @Field(() => Invitation, { description: "The invitation." })
  invitation!: Invitation;

  @Field(() => String, {
    description:
      "Link to the page where the person chooses a password. It works once, and is shown only in this response.",
  })
  @MaxCharacters(LINK_MAX_LENGTH)
  link!: string;

  @Field(() => InvitationMail, { description: "Delivery of the link by mail." })
  mail!: InvitationMail;
}
