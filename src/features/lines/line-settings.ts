import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { isEmail } from "../../common/validators";
import { MaxCharacters } from "../../schema/list-size";
import { AddressKind } from "../contacts/contact-address.entity";
import { DEFAULT_SUBJECT, FROM_MAX_LENGTH, URL_MAX_LENGTH } from "./line.limits";
import type { LineEmailChanges, NewLineEmail, NewLineWebhook } from "./line-settings.inputs";

export enum SmtpSecurity {
  tls = "tls",
  starttls = "starttls",
  none = "none",
}

registerEnumType(SmtpSecurity, {
  name: "SmtpSecurity",
  description: "How a connection to a mail server is encrypted.",
  valuesConfig: {
    tls: { description: "TLS from the start, usually on port 465." },
    starttls: { description: "STARTTLS, without which nothing is sent; usually on port 587." },
    none: { description: "Not encrypted, usually on port 25." },
  },
});

const DEFAULT_PORTS: Readonly<Record<SmtpSecurity, number>> = {
  [SmtpSecurity.tls]: 465,
  [SmtpSecurity.starttls]: 587,
  [SmtpSecurity.none]: 25,
};

@ObjectType({ simpleResolvers: true, description: "How a webhook line delivers messages." })
export class LineWebhook {
  @Field(() => String, { description: "URL that messages are posted to." })
  @MaxCharacters(URL_MAX_LENGTH)
  url!: string;

  @Field(() => AddressKind, { description: "Kind of the addresses that the line sends to." })
  addressKind!: AddressKind;
}

@ObjectType({
  simpleResolvers: true,
  description: "How an e-mail line delivers messages, without its password.",
})
export class LineEmail {
  @Field(() => String, { description: "Host name or IP address of the mail server." })
  host!: string;

  @Field(() => Int, { description: "Port of the mail server." })
  port!: number;

  @Field(() => SmtpSecurity, { description: "How the connection is encrypted." })
  security!: SmtpSecurity;

  @Field(() => String, {
    nullable: true,
    description: "User name for the mail server; null to send without one.",
  })
  user!: string | null;

  @Field(() => Boolean, { description: "Whether a password is stored. It is never shown." })
  hasPassword!: boolean;

  @Field(() => String, {
    description: "Sender of the messages, as an e-mail address with or without a name.",
  })
  @MaxCharacters(FROM_MAX_LENGTH)
  from!: string;

  @Field(() => String, { description: "Subject of the messages." })
  subject!: string;
}

/** What a line stores of its settings: nothing for a local line. */
export type LineSettings = LineWebhook | LineEmail | Record<string, never>;

/** The settings of a webhook line. */
export const webhookSettings = ({ url, addressKind }: NewLineWebhook): LineWebhook => ({
  url,
  addressKind: addressKind ?? AddressKind.phone,
});

/** The settings of an e-mail line. */
export function emailSettings(input: NewLineEmail): LineEmail {
  const security = input.security ?? SmtpSecurity.starttls;
  return {
    host: input.host,
    port: input.port ?? DEFAULT_PORTS[security],
    security,
    user: input.user ?? null,
    hasPassword: input.password != null,
    from: input.from.trim(),
    subject: input.subject ?? DEFAULT_SUBJECT,
  };
}

/** The settings of an e-mail line after a change; without a user name there is no password, and the reverse. */
export function changedEmail(before: LineEmail, input: LineEmailChanges): LineEmail {
  const security = input.security ?? before.security;
  const isCleared = input.user === null || input.password === null;
  const port = input.port === undefined && security === before.security ? before.port : input.port;
  return {
    host: input.host ?? before.host,
    port: port ?? DEFAULT_PORTS[security],
    security,
    user: isCleared ? null : (input.user ?? before.user),
    hasPassword: !isCleared && (input.password !== undefined || before.hasPassword),
    from: input.from?.trim() ?? before.from,
    subject: input.subject ?? before.subject,
  };
}

/** Whether two settings lead to different mail servers, or to the same one in another way. */
export const isOtherServer = (one: LineEmail, other: LineEmail): boolean =>
  one.host !== other.host || one.port !== other.port || one.security !== other.security;

/** The address in `anna@example.com` or `Anna <anna@example.com>`; undefined for any other text. */
export function addressIn(mailbox: string): string | undefined {
  const [, named, plain] = /^(?:[^<>",;:@\\]*<([^<>\s]+)>|([^<>\s]+))$/.exec(mailbox.trim()) ?? [];
  const address = named ?? plain;
  return address !== undefined && isEmail(address) ? address : undefined;
}
