import { AddressKind } from "../contacts/contact-address.entity";
import { DEFAULT_SUBJECT } from "./line.limits";
import { type LineEmail, type LineWebhook, SmtpSecurity } from "./line-settings";
import type { LineEmailChanges, NewLineEmail, NewLineWebhook } from "./line-settings.inputs";

const DEFAULT_PORTS: Readonly<Record<SmtpSecurity, number>> = {
  [SmtpSecurity.tls]: 465,
  [SmtpSecurity.starttls]: 587,
  [SmtpSecurity.none]: 25,
};

export const webhookSettings = ({ url, addressKind }: NewLineWebhook): LineWebhook => ({
  url,
  addressKind: addressKind ?? AddressKind.phone,
});

/**
 * Omits `listAddress` if there is no list, so that the result equals settings stored by versions without this field.
 */
const listOf = (listAddress: string | null | undefined): Pick<LineEmail, "listAddress"> =>
  listAddress == null ? {} : { listAddress };

/** Returns an e-mail line's settings. */
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
    ...listOf(input.listAddress),
  };
}

/** Returns an e-mail line's settings after a change. Either both the user name and the password are set, or neither. */
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
    ...listOf(input.listAddress === undefined ? before.listAddress : input.listAddress),
  };
}
