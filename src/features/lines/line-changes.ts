import { type InputProblem, InvalidInput } from "../../errors";
import type { Changes } from "../audit/audit-change";
import { changedEmail } from "./given-settings";
import { type Line, WhenUncertain } from "./line.entity";
import type { UpdateLineInput } from "./line.inputs";
import { DEFAULT_EXPIRE_AFTER_SECONDS } from "./line.limits";
import {
  addressIn,
  isOtherServer,
  type LineEmail,
  type LineSettings,
  type LineWebhook,
} from "./line-settings";

/**
 * Returns a line's fields, except its credentials, after changes by `updateLine`.
 * @throws InvalidInput if the changes do not fit the line
 */
export function changedFields(line: Line, input: Omit<UpdateLineInput, "id">) {
  const { name = line.name, ratePerMinute = line.ratePerMinute } = input;
  const { expireAfterSeconds = line.expireAfterSeconds, whenUncertain = line.whenUncertain } = input;
  const { optOutReply = line.optOutReply, optOutWords = line.optOutWords } = input;
  const { webhook, email } = changedSettings(line, input);
  const settings: LineSettings = webhook ?? email ?? line.settings;
  return {
    name,
    ratePerMinute,
    expireAfterSeconds: expireAfterSeconds ?? DEFAULT_EXPIRE_AFTER_SECONDS,
    whenUncertain: whenUncertain ?? WhenUncertain.retry,
    optOutReply,
    optOutWords: unlessSame(line.optOutWords, optOutWords ?? []),
    settings: unlessSame(line.settings, settings),
    address: email === null ? null : (addressIn(email.from) ?? null),
  };
}

/** Returns the old value if the new one is equal, so that it is not treated as a change. */
const unlessSame = <T>(before: T, after: T): T =>
  JSON.stringify(before) === JSON.stringify(after) ? before : after;

/**
 * Returns a line's settings after changes; settings for other kinds of lines are null.
 * @throws InvalidInput if the changes do not match the kind of line
 */
export function changedSettings(
  { kind, webhook, email }: Line,
  input: Pick<UpdateLineInput, "webhook" | "email">,
): { webhook: LineWebhook | null; email: LineEmail | null } {
  const problem = (["webhook", "email"] as const).find((each) => input[each] != null && kind !== each);
  if (problem !== undefined) {
    const message = `is not allowed for ${kind} lines`;
    throw new InvalidInput([{ path: `input.${problem}`, message }]);
  }
  return {
    webhook: webhook && { ...webhook, url: input.webhook?.url ?? webhook.url },
    email: email && (input.email == null ? email : validEmail(email, input.email)),
  };
}

/** @throws InvalidInput */
function validEmail(before: LineEmail, input: NonNullable<UpdateLineInput["email"]>): LineEmail {
  const after = changedEmail(before, input);
  const problem = emailProblem(before, after, input);
  if (problem !== undefined) throw new InvalidInput([{ ...problem, path: `input.email.${problem.path}` }]);
  return after;
}

function emailProblem(
  before: LineEmail,
  after: LineEmail,
  { user, password }: NonNullable<UpdateLineInput["email"]>,
): InputProblem | undefined {
  if (password != null && after.user === null)
    return { path: "user", message: "is required with a password" };
  if (user != null && !after.hasPassword) return { path: "password", message: "is required with a user" };
  // Without this check, someone who does not know the password could have the gateway send it to another server.
  if (after.hasPassword && password == null && isOtherServer(before, after)) {
    return { path: "password", message: "must be passed again if the host, port or security changes" };
  }
  return undefined;
}

/** Returns the audit record of a changed password; never contains the password. */
export function auditOfPassword(
  before: Line,
  input: UpdateLineInput["email"],
  after: Pick<Line, "settings">,
): Changes {
  if (before.email === null) return {};
  const had = before.email.hasPassword;
  const has = (after.settings as LineEmail).hasPassword;
  const isReplaced = had && input?.password != null;
  return {
    credentials: [had ? "stored" : null, isReplaced ? "replaced" : has ? "stored" : null],
  };
}
