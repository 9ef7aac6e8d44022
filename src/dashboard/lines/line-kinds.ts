import { formatNumber } from "../ui/format";
import type { AddressKind, LineKind, SmtpSecurity, WhenUncertain } from "./documents.generated";

/** The kinds of lines, with their labels and descriptions. */
export const KINDS: Readonly<Record<LineKind, { label: string; help: string }>> = {
  webhook: {
    label: "Webhook",
    help: "Messages are posted to your URL. Your bridge forwards them by SMS, WhatsApp or any other channel.",
  },
  email: { label: "E-mail", help: "Messages are sent through your mail server." },
  local: { label: "Local", help: "Messages stay on this server, where your app reads them." },
};

export const ADDRESS_KINDS: Readonly<Record<AddressKind, string>> = {
  phone: "Phone numbers",
  email: "E-mail addresses",
  other: "Addresses in another system",
  local: "Addresses on this server",
};

export const SECURITIES: Readonly<Record<SmtpSecurity, string>> = {
  starttls: "STARTTLS (port 587)",
  tls: "TLS (port 465)",
  none: "None (port 25)",
};

export const WHEN_UNCERTAIN: Readonly<Record<WhenUncertain, string>> = {
  retry: "Send it again; it may be delivered twice",
  fail: "Mark it as failed; it may not have been delivered",
};

/** Converts a table of labels to select options. */
export const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const MINUTES = { value: 60, label: "minutes" };

/** The units of durations (s), longest first. */
export const UNITS = [{ value: 86_400, label: "days" }, { value: 3_600, label: "hours" }, MINUTES];

const dividing = (seconds: number) => UNITS.find(({ value }) => seconds % value === 0);

/** Returns the longest unit that divides a duration (s); minutes if none does. */
export const unitOf = (seconds: number) => dividing(seconds) ?? MINUTES;

/** Formats 259,200 s as "3 days". */
export function durationOf(seconds: number): string {
  const { value, label } = dividing(seconds) ?? { value: 1, label: "seconds" };
  const count = seconds / value;
  return `${formatNumber(count)} ${count === 1 ? label.slice(0, -1) : label}`;
}
