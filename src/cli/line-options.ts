import { type Command, Option } from "commander";
import { DAY_SECONDS } from "../common/time";
import { GatewayError } from "../errors";
import type { AddressKind } from "../features/contacts/contact-address.entity";
import type { LineKind, WhenUncertain } from "../features/lines/line.entity";
import {
  MAX_EXPIRE_AFTER_SECONDS,
  MAX_RATE_PER_MINUTE,
  MIN_EXPIRE_AFTER_SECONDS,
} from "../features/lines/line.limits";
import type { SmtpSecurity } from "../features/lines/line-settings";
import { secretFromStdin } from "./stdin";
import { choicesOf, DURATION_FORM, duration, wholeNumber } from "./values";

const KINDS = choicesOf<LineKind>({ local: true, webhook: true, email: true });
const ADDRESS_KINDS = choicesOf<AddressKind>({ email: true, phone: true, local: true, other: true });
const WHEN_UNCERTAIN = choicesOf<WhenUncertain>({ retry: true, fail: true });
const SECURITY = choicesOf<SmtpSecurity>({ tls: true, starttls: true, none: true });

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
    .option("--rate <n>", "max messages that the line sends per minute", wholeNumber(1, MAX_RATE_PER_MINUTE))
    .option(
      "--expire-after <duration>",
      `how long a message may wait before it expires, ${DURATION_FORM} (default for new lines: 3d)`,
      duration(MIN_EXPIRE_AFTER_SECONDS, [
        MAX_EXPIRE_AFTER_SECONDS,
        `${MAX_EXPIRE_AFTER_SECONDS / DAY_SECONDS}d`,
      ]),
    )
    .addOption(
      new Option(
        "--when-uncertain <what>",
        "how to handle a message when it is unknown whether it was sent (default for new lines: retry)",
      ).choices(WHEN_UNCERTAIN),
    )
    .option("--opt-out-reply <text>", "confirmation sent to a contact who opts out")
    .option(
      "--opt-out-word <text...>",
      "words that opt a contact out if sent as the whole message, in addition to STOP",
    )
    .option("--url <url>", "webhook: URL that receives messages by POST")
    .option("--host <host>", "email: mail server")
    .option(
      "--port <n>",
      "email: port of the mail server (default: the usual port for the encryption)",
      wholeNumber(1, 65_535),
    )
    .addOption(
      new Option("--security <how>", "email: encryption (default for new lines: starttls)").choices(SECURITY),
    )
    .option("--user <name>", "email: user name for the mail server")
    .option("--password-stdin", "email: read the password for the mail server from standard input")
    .option("--from <sender>", "email: sender, such as Anna <anna@example.com>")
    .option("--subject <text>", "email: subject of the messages")
    .option(
      "--list-address <address>",
      "email: address of a mailing list whose e-mails are answered as if written by people",
    );

/** Adds the options that only `lines create` has. */
export const addNewLineOptions = (command: Command): Command =>
  command
    .requiredOption("--name <slug>", "short name, unique among the agent's lines")
    .addOption(new Option("--kind <kind>", "how the line delivers messages").choices(KINDS).default("local"))
    .addOption(
      new Option(
        "--address-kind <kind>",
        "webhook: kind of address that the line sends to (default: phone)",
      ).choices(ADDRESS_KINDS),
    );

/** Adds the options that only `lines update` has. */
export const addLineChangeOptions = (command: Command): Command =>
  command
    .option("--name <slug>", "new name, unique among the agent's lines")
    .option("--no-rate", "remove the limit on messages per minute")
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

async function emailOf(options: LineOptions) {
  const { host, port, security, user, passwordStdin, from, subject, listAddress } = options;
  const given = { host, port, security, user: orNull(user), from, subject, listAddress: orNull(listAddress) };
  const password = passwordStdin && (await secretFromStdin());
  const isGiven = passwordStdin || Object.values(given).some((value) => value !== undefined);
  return isGiven ? { ...given, password } : undefined;
}

/** @throws GatewayError `invalid_request` for options that do not fit the kind of line */
export async function newLineOf(agentId: string, options: LineOptions): Promise<object> {
  const { kind, url, addressKind } = options;
  const email = await emailOf(options);
  const settings = {
    ...((url !== undefined || addressKind !== undefined) && { webhook: { url, addressKind } }),
    ...(email && { email }),
  };
  const given = Object.keys(settings).join(" and ") || "local";
  if (given === "local" && kind === "webhook")
    throw new GatewayError("invalid_request", "A webhook line requires --url.");
  if (given === "local" && kind === "email")
    throw new GatewayError("invalid_request", "An e-mail line requires --host and --from.");
  if (given !== kind)
    throw new GatewayError("invalid_request", `These options apply to ${given} lines, not to ${kind} lines.`);
  return { agentId, ...commonOf(options), settings: given === "local" ? null : settings };
}

/** Returns the input for changing a line. */
export async function lineChangesOf(id: string, options: LineOptions): Promise<object> {
  const { url } = options;
  return {
    id,
    ...commonOf(options),
    webhook: url === undefined ? undefined : { url },
    email: await emailOf(options),
  };
}
