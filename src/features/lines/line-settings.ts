import { Field, Int, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import { isEmail } from "../../common/validators";
import { MaxCharacters } from "../../schema/list-size";
import { AddressKind } from "../contacts/contact-address.entity";
import { FROM_MAX_LENGTH, URL_MAX_LENGTH } from "./line.limits";

export const SmtpSecurity = enumOf("SmtpSecurity", "Encryption of a connection to a mail server.", {
  tls: "TLS from the start, usually on port 465.",
  starttls: "STARTTLS, required before any message is sent, usually on port 587.",
  none: "Not encrypted, usually on port 25.",
});
export type SmtpSecurity = keyof typeof SmtpSecurity;

@ObjectType({ description: "Delivery settings of a webhook line." })
export class LineWebhook {
  @Field(() => String, { description: "URL that receives messages by POST." })
  @MaxCharacters(URL_MAX_LENGTH)
  url!: string;

  @Field(() => AddressKind, { description: "Kind of address that the line sends to." })
  addressKind!: AddressKind;
}

@ObjectType({
  description: "Delivery settings of an e-mail line, without the password.",
})
export class LineEmail {
  @Field(() => String, { description: "Host name or IP address of the mail server." })
  host!: string;

  @Field(() => Int, { description: "Port of the mail server." })
  port!: number;

  @Field(() => SmtpSecurity, { description: "Encryption of the connection." })
  security!: SmtpSecurity;

  @Nullable(
    () => String,
    "User name for the mail server, or null if messages are sent without authentication.",
  )
  user!: string | null;

  @Field(() => Boolean, { description: "True if a password is stored. The password is never shown." })
  hasPassword!: boolean;

  @Field(() => String, {
    description: "Sender of the messages, as an e-mail address with or without a name.",
  })
  @MaxCharacters(FROM_MAX_LENGTH)
  from!: string;

  @Field(() => String, { description: "Subject of the messages." })
  subject!: string;

  @Nullable(
    () => String,
    "Address of a mailing list whose e-mails are answered as if written by people, or null if e-mails from all lists are treated as automatic.",
  )
  listAddress?: string | null;
}

/** A line's stored settings; empty for a local line. */
export type LineSettings = LineWebhook | LineEmail | Record<string, never>;

/** True if two lines' settings specify different mail servers or different connection security. */
export const isOtherServer = (one: LineEmail, other: LineEmail): boolean =>
  one.host !== other.host || one.port !== other.port || one.security !== other.security;

/**
 * Returns the address in text such as `anna@example.com` or `Anna <anna@example.com>`; undefined for any other text.
 */
export function addressIn(mailbox: string): string | undefined {
  const [, named, plain] = /^(?:[^<>",;:@\\]*<([^<>\s]+)>|([^<>\s]+))$/.exec(mailbox.trim()) ?? [];
  const address = named ?? plain;
  return address !== undefined && isEmail(address) ? address : undefined;
}
