import { Field, InputType, Int } from "type-graphql";
import { Checked } from "../../common/checked";
import { Nullable, Omittable, Optional } from "../../common/nullable";
import { IsBetween } from "../../common/range";
import { isEmail, ValidateNested } from "../../common/validators";
import { Rule } from "../../schema/object-rule";
import { OneOf } from "../../schema/one-of";
import { HoldsNoToken, IsText } from "../../schema/text";
import { ADDRESS_MAX_LENGTH } from "../contacts/contact.limits";
import { AddressKind } from "../contacts/contact-address.entity";
import {
  DEFAULT_SUBJECT,
  FROM_MAX_LENGTH,
  HOST_MAX_LENGTH,
  PASSWORD_MAX_LENGTH,
  SUBJECT_MAX_LENGTH,
  URL_MAX_LENGTH,
  USER_MAX_LENGTH,
} from "./line.limits";
import { addressIn, SmtpSecurity } from "./line-settings";

const IsMailbox = (): PropertyDecorator =>
  Checked("isMailbox", (value) =>
    typeof value === "string" && addressIn(value) !== undefined
      ? undefined
      : "must be an e-mail address, or a name and an address such as Anna <anna@example.com>",
  );

const URL_FIELD = {
  description:
    "URL that receives messages by POST: http or https (only https in production), without a user name or fragment, at most 2,048 characters. Agents can read the URL, so it must not contain a secret.",
};
const HOST = "Host name or IP address of the mail server.";
const PORT =
  "Port of the mail server, 1 to 65,535. Null selects the default: 465 for `tls`, 587 for `starttls`, 25 for `none`.";
const SECURITY = "Encryption of the connection.";
const FROM =
  "Sender of the messages: an e-mail address, or a name and an address such as `Anna <anna@example.com>`.";
const SUBJECT = "Subject of the messages, 1 to 200 characters.";
const LIST_ADDRESS =
  "Address of a mailing list, such as a group that forwards to the line, or null if there is none. E-mails from this list are answered as if written by people.";

const IsAddress = (): PropertyDecorator =>
  Checked("isAddress", (value) =>
    typeof value === "string" && isEmail(value) ? undefined : "must be an e-mail address",
  );

@InputType({ description: "Delivery settings of a new webhook line." })
export class NewLineWebhook {
  @Field(() => String, URL_FIELD)
  @IsText(URL_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  url!: string;

  @Field(() => AddressKind, {
    defaultValue: AddressKind.phone,
    description: "Kind of address that the line sends to. It cannot be changed later.",
  })
  addressKind!: AddressKind;
}

@InputType({ description: "Changes to the delivery settings of a webhook line." })
export class LineWebhookChanges {
  @Field(() => String, URL_FIELD)
  @IsText(URL_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  url!: string;
}

@InputType({ description: "Delivery settings of a new e-mail line." })
@Rule({
  fields: ["user", "password"],
  check: ({ user, password }) => {
    if ((user == null) === (password == null)) return undefined;
    return {
      path: user == null ? "user" : "password",
      message: "is required: pass both user and password, or neither",
    };
  },
})
export class NewLineEmail {
  @Field(() => String, { description: HOST })
  @IsText(HOST_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  host!: string;

  @Optional(() => Int, PORT)
  @IsBetween(1, 65_535)
  port?: number | null | undefined;

  @Field(() => SmtpSecurity, { defaultValue: SmtpSecurity.starttls, description: SECURITY })
  security!: SmtpSecurity;

  @Optional(
    () => String,
    "User name for the mail server. If null or omitted, messages are sent without authentication.",
  )
  @IsText(USER_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  user?: string | null | undefined;

  @Optional(
    () => String,
    "Password for the mail server, required with `user`. It is stored encrypted and never shown.",
  )
  @IsText(PASSWORD_MAX_LENGTH)
  password?: string | null | undefined;

  @Field(() => String, { description: FROM })
  @IsText(FROM_MAX_LENGTH, { singleLine: true })
  @IsMailbox()
  @HoldsNoToken()
  from!: string;

  @Field(() => String, { defaultValue: DEFAULT_SUBJECT, description: SUBJECT })
  @IsText(SUBJECT_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  subject!: string;

  @Optional(() => String, LIST_ADDRESS)
  @IsText(ADDRESS_MAX_LENGTH, { singleLine: true })
  @IsAddress()
  @HoldsNoToken()
  listAddress?: string | null | undefined;
}

@InputType({ description: "Delivery settings of a new line that sends messages to other servers." })
@OneOf()
export class NewLineSettings {
  @Optional(() => NewLineWebhook, "Settings of a `webhook` line.")
  @ValidateNested()
  webhook?: NewLineWebhook | null | undefined;

  @Optional(() => NewLineEmail, "Settings of an `email` line.")
  @ValidateNested()
  email?: NewLineEmail | null | undefined;
}

@InputType({
  description:
    "Changes to the delivery settings of an e-mail line. Omitted fields keep their values, but a changed `security` resets an omitted port to its default.",
})
export class LineEmailChanges {
  @Omittable(() => String, HOST)
  @IsText(HOST_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  host?: string | undefined;

  @Optional(() => Int, PORT)
  @IsBetween(1, 65_535)
  port?: number | null | undefined;

  @Nullable(() => SmtpSecurity, SECURITY)
  security?: SmtpSecurity | null | undefined;

  @Optional(() => String, "User name for the mail server. Null removes the user name and the password.")
  @IsText(USER_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  user?: string | null | undefined;

  @Optional(
    () => String,
    "Password for the mail server. Null removes the password and the user name. The password must be passed again if the host, port or security changes, so that it is never sent to a different server.",
  )
  @IsText(PASSWORD_MAX_LENGTH)
  password?: string | null | undefined;

  @Omittable(() => String, FROM)
  @IsText(FROM_MAX_LENGTH, { singleLine: true })
  @IsMailbox()
  @HoldsNoToken()
  from?: string | undefined;

  @Omittable(() => String, SUBJECT)
  @IsText(SUBJECT_MAX_LENGTH, { singleLine: true })
  @HoldsNoToken()
  subject?: string | undefined;

  @Optional(() => String, LIST_ADDRESS)
  @IsText(ADDRESS_MAX_LENGTH, { singleLine: true })
  @IsAddress()
  @HoldsNoToken()
  listAddress?: string | null | undefined;
}
