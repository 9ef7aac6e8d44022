import { type Command, Option } from "commander";
import { DAY_SECONDS } from "../common/time";
import { GatewayError } from "../errors";
import { AddressKind } from "../features/contacts/contact-address.entity";
import { LineKind, WhenUncertain } from "../features/lines/line.entity";
import { CreateLineInput, UpdateLineInput } from "../features/lines/line.inputs";
import {
  DEFAULT_SUBJECT,
  MAX_EXPIRE_AFTER_SECONDS,
  MAX_RATE_PER_MINUTE,
  MIN_EXPIRE_AFTER_SECONDS,
} from "../features/lines/line.limits";
import { SmtpSecurity } from "../features/lines/line-settings";
import {
  LineEmailChanges,
  LineWebhookChanges,
  NewLineEmail,
  NewLineSettings,
  NewLineWebhook,
} from "../features/lines/line-settings.inputs";
import { DURATION_FORM, duration } from "./duration";
import { secretFromStdin } from "./stdin";
import { wholeNumber } from "./whole-number";

/** Options of `lines create` and `lines update`; false for a `--no-…` option. */
export interface LineOptions {
  name?: string;
  kind?: LineKind;
  rate?: number | false;
  expireAfter?: number;
  whenUncertain?: WhenUncertain;
  optOutReply?: string | false;
  optOutWord?: string[] | false;
  url?: string;
  addressKind?: AddressKind;
  host?: string;
  port?: number;
  security?: SmtpSecurity;
  user?: string | false;
  passwordStdin?: true;
  from?: string;
  subject?: string;
  listAddress?: string | false;
}

/** Adds the options that `lines create` and `lines update` share. */
export const addLineOptions = (command: Command): Command =>
  command
    .option("--rate <n>", "messages that the line sends per minute", wholeNumber(1, MAX_RATE_PER_MINUTE))
    .option(
      "--expire-after <duration>",
      `how long a message may wait before it expires, ${DURATION_FORM}; three days for a new line`,
      duration(MIN_EXPIRE_AFTER_SECONDS, [
        MAX_EXPIRE_AFTER_SECONDS,
        `${MAX_EXPIRE_AFTER_SECONDS / DAY_SECONDS}d`,
      ]),
    )
    .addOption(
      new Option(
        "--when-uncertain <what>",
        "how to handle a message when it is unknown whether it was sent; retry for a new line",
      ).choices(Object.values(WhenUncertain)),
    )
    .option("--opt-out-reply <text>", "confirmation sent to a contact who opts out")
    .option(
      "--opt-out-word <text...>",
      "words that opt a contact out if they are the whole message, in addition to STOP",
    )
    .option("--url <url>", "webhook: URL that receives messages by POST")
    .option("--host <host>", "email: mail server")
    .option(
      "--port <n>",
      "email: port of the mail server; the default for the encryption if omitted",
      wholeNumber(1, 65_535),
    )
    .addOption(
      new Option("--security <how>", "email: encryption; starttls for a new line").choices(
        Object.values(SmtpSecurity),
      ),
    )
    .option("--user <name>", "email: user name for the mail server")
    .option("--password-stdin", "email: read the password for the mail server from standard input")
    .option("--from <sender>", "email: sender, such as Anna <anna@example.com>")
    .option("--subject <text>", "email: subject of the messages")
    .option(
      "--list-address <address>",
      "email: address of a mailing list whose e-mails are treated as written by people",
    );

/** Adds the options that only `lines create` has. */
export const addNewLineOptions = (command: Command): Command =>
  command
    .requiredOption("--name <slug>", "short name, unique among the agent's lines")
    .addOption(
      new Option("--kind <kind>", "how the line delivers messages")
        .choices(Object.values(LineKind))
        .default(LineKind.local),
    )
    .addOption(
      new Option(
        "--address-kind <kind>",
        "webhook: kind of address that the line sends to; phone if omitted",
      ).choices(Object.values(AddressKind)),
    );

/** Adds the options that only `lines update` has. */
export const addLineChangeOptions = (command: Command): Command =>
  command
    .option("--name <slug>", "new name, unique among the agent's lines")
    .option("--no-rate", "remove the limit of messages per minute")
    .option("--no-opt-out-reply", "remove the opt-out confirmation")
    .option("--no-opt-out-word", "remove the opt-out words")
    .option("--no-user", "email: remove the user name and password")
    .option("--no-list-address", "email: remove the mailing list");

/** Converts an option to a change: undefined if the option is omitted, null for its `--no-…` form. */
const orNull = <T>(value: T | false | undefined): T | null | undefined => (value === false ? null : value);

const commonOf = ({ name, rate, expireAfter, whenUncertain, optOutReply, optOutWord }: LineOptions) => ({
  name,
  ratePerMinute: orNull(rate),
  expireAfterSeconds: expireAfter,
  whenUncertain,
  optOutReply: orNull(optOutReply),
  optOutWords: orNull(optOutWord),
});

async function emailOf({
  host,
  port,
  security,
  user,
  passwordStdin,
  from,
  subject,
  listAddress,
}: LineOptions) {
  const given = { host, port, security, user: orNull(user), from, subject, listAddress: orNull(listAddress) };
  const password = passwordStdin && (await secretFromStdin());
  const isGiven = passwordStdin || Object.values(given).some((value) => value !== undefined);
  return isGiven ? { ...given, password } : undefined;
}

export async function newLineOf(agentId: string, options: LineOptions): Promise<CreateLineInput> {
  const { kind, url, addressKind } = options;
  const email = await emailOf(options);
  const settings = {
    ...((url !== undefined || addressKind !== undefined) && {
      webhook: Object.assign(new NewLineWebhook(), { url, addressKind }),
    }),
    ...(email && {
      email: Object.assign(new NewLineEmail(), { ...email, subject: email.subject ?? DEFAULT_SUBJECT }),
    }),
  };
  const given = Object.keys(settings).join(" and ") || LineKind.local;
  if (given === LineKind.local && kind === LineKind.webhook)
    throw new GatewayError("invalid_request", "A webhook line requires --url.");
  if (given === LineKind.local && kind === LineKind.email)
    throw new GatewayError("invalid_request", "An e-mail line requires --host and --from.");
  if (given !== kind)
    throw new GatewayError("invalid_request", `The options are for ${given} lines, not ${kind} lines.`);
  return Object.assign(new CreateLineInput(), {
    agentId,
    ...commonOf(options),
    settings: given === LineKind.local ? null : Object.assign(new NewLineSettings(), settings),
  });
}

export async function lineChangesOf(id: string, options: LineOptions): Promise<UpdateLineInput> {
  const { url } = options;
  const email = await emailOf(options);
  return Object.assign(new UpdateLineInput(), {
    id,
    ...commonOf(options),
    ...(url !== undefined && { webhook: Object.assign(new LineWebhookChanges(), { url }) }),
    ...(email && { email: Object.assign(new LineEmailChanges(), email) }),
  });
}
