import { auditActions } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import { type Line, WhenUncertain } from "./line.entity";
import type { LineEmail } from "./line-settings";

export const lineActions = auditActions({
  line_created: "A line was created.",
  line_updated: "A line's name or settings were changed.",
  line_secret_rotated: "A line's signing secret was rotated.",
  line_secrets_lost: "A line lost its signing secret or password because the instance key was replaced.",
  line_tested: "A test message was sent over a line.",
  line_paused: "A line was paused.",
  line_resumed: "A paused or archived line was resumed.",
  line_archived: "A line was archived.",
  default_line_set: "A line was made its agent's default line.",
});

/** Returns the changes to a line for the audit log, without its secrets; `before` is undefined for a new line. */
export function auditOf(before: Line | undefined, after: Line): Changes {
  const both = (read: (line: Line) => string | number | null | undefined) =>
    [asText(before && read(before)), asText(read(after))] as const;
  return {
    name: both(({ name }) => name),
    ratePerMinute: both(({ ratePerMinute }) => ratePerMinute),
    expireAfterSeconds: both(({ expireAfterSeconds }) => expireAfterSeconds),
    whenUncertain: both(({ whenUncertain }) =>
      before === undefined && whenUncertain === WhenUncertain.retry ? null : whenUncertain,
    ),
    optOutReply: both(({ optOutReply }) => optOutReply),
    optOutWords: both(({ optOutWords }) => optOutWords.join(", ") || null),
    url: both(({ webhook }) => webhook?.url),
    addressKind: both(({ webhook }) => webhook?.addressKind),
    server: both(({ email }) => email && serverOf(email)),
    user: both(({ email }) => email?.user),
    from: both(({ email }) => email?.from),
    subject: both(({ email }) => email?.subject),
    listAddress: both(({ email }) => email?.listAddress),
  };
}

/** Formats a server's address, such as `smtp.example.com:587 (starttls)`. */
const serverOf = ({ host, port, security }: LineEmail) =>
  `${host.includes(":") ? `[${host}]` : host}:${port} (${security})`;

/** Converts a value to its form in the audit log. */
const asText = (value: string | number | null | undefined): string | null =>
  value == null ? null : String(value);
