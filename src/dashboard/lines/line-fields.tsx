import { NativeSelect, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { ADDRESS_MAX_LENGTH } from "../../features/contacts/contact.limits";
import {
  DEFAULT_EXPIRE_AFTER_SECONDS,
  DEFAULT_SUBJECT,
  FROM_MAX_LENGTH,
  HOST_MAX_LENGTH,
  MAX_EXPIRE_AFTER_SECONDS,
  MAX_RATE_PER_MINUTE,
  MIN_EXPIRE_AFTER_SECONDS,
  PASSWORD_MAX_LENGTH,
  SUBJECT_MAX_LENGTH,
  URL_MAX_LENGTH,
  USER_MAX_LENGTH,
} from "../../features/lines/line.limits";
import type { FormState } from "../ui/form-dialog";
import type { LineDetailsFragment, SmtpSecurity, WhenUncertain } from "./documents.generated";
import { optionsOf, SECURITIES, UNITS, unitOf, WHEN_UNCERTAIN } from "./line-kinds";
import styles from "./lines.module.css";

/** Names of the inputs of `LimitFields`. */
export const LIMIT_FIELDS = ["ratePerMinute", "expireAfterSeconds", "optOutReply", "optOutWords"];

const NAME_MAX_LENGTH = 63;

type Fields = Pick<FormState, "field">;

export const NameField = ({ field, line }: Fields & { line?: LineDetailsFragment }) => (
  <TextInput
    {...field("name")}
    label="Name"
    description="Rules in the configuration use this name, such as sms. Use a-z, 0-9 and hyphens."
    defaultValue={line?.name}
    maxLength={NAME_MAX_LENGTH}
    required
    autoCapitalize="none"
    spellCheck={false}
    data-autofocus
  />
);

export const UrlField = ({ field, url }: Fields & { url?: string | undefined }) => (
  <TextInput
    {...field("url")}
    type="url"
    label="URL"
    description="Agents can read the URL, so it must not contain a secret."
    placeholder="https://bridge.example.com/messages"
    defaultValue={url}
    maxLength={URL_MAX_LENGTH}
    required
  />
);

/** The default SMTP ports. */
const PORTS: Readonly<Record<SmtpSecurity, string>> = { starttls: "587", tls: "465", none: "25" };

/** The settings of an e-mail line. */
export const EmailFields = ({ field, email }: Fields & { email?: LineDetailsFragment["email"] }) => {
  const [security, setSecurity] = useState(email?.security ?? "starttls");
  return (
    <>
      <TextInput
        {...field("from")}
        label="From"
        placeholder="Acme Support <support@example.com>"
        defaultValue={email?.from}
        maxLength={FROM_MAX_LENGTH}
        required
      />
      <TextInput
        {...field("subject")}
        label="Subject"
        defaultValue={email?.subject ?? DEFAULT_SUBJECT}
        maxLength={SUBJECT_MAX_LENGTH}
        required
      />
      <TextInput
        {...field("listAddress")}
        type="email"
        label="Mailing list"
        description="E-mails from this list are answered as if written by people. Leave empty if there is none."
        placeholder="support@example.com"
        defaultValue={email?.listAddress ?? ""}
        maxLength={ADDRESS_MAX_LENGTH}
      />
      <TextInput
        {...field("host")}
        label="Mail server"
        placeholder="smtp.example.com"
        defaultValue={email?.host}
        maxLength={HOST_MAX_LENGTH}
        required
      />
      <div className={styles.pair}>
        <NativeSelect
          name="security"
          label="Encryption"
          data={optionsOf(SECURITIES)}
          value={security}
          onChange={({ currentTarget }) => setSecurity(currentTarget.value as SmtpSecurity)}
        />
        <TextInput
          {...field("port")}
          type="number"
          label="Port"
          placeholder={`${PORTS[security]} (by encryption)`}
          min={1}
          max={65_535}
          defaultValue={email?.port}
        />
      </div>
      <TextInput
        {...field("user")}
        label="User name"
        description="Leave empty if the mail server needs none."
        defaultValue={email?.user ?? ""}
        maxLength={USER_MAX_LENGTH}
      />
      <PasswordInput
        {...field("password")}
        label="Password"
        description={
          email?.hasPassword
            ? "Leave empty to keep the stored password. If you change the mail server, you need to enter it again."
            : "It is stored encrypted and never shown."
        }
        maxLength={PASSWORD_MAX_LENGTH}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": "Show password" }}
      />
    </>
  );
};

/** The maximum time that messages may wait, as a number and its unit. */
function ExpiryFields({ field, seconds }: Fields & { seconds: number }) {
  const [unit, setUnit] = useState(unitOf(seconds).value);
  return (
    <div className={styles.duration}>
      <TextInput
        {...field("expireAfterSeconds")}
        type="number"
        label="Expire after"
        min={MIN_EXPIRE_AFTER_SECONDS / unit}
        max={MAX_EXPIRE_AFTER_SECONDS / unit}
        step="any"
        defaultValue={seconds / unitOf(seconds).value}
        required
      />
      <NativeSelect
        name="expireUnit"
        aria-label="Unit"
        data={UNITS.map(({ value, label }) => ({ value: String(value), label }))}
        value={String(unit)}
        onChange={({ currentTarget }) => setUnit(Number(currentTarget.value))}
      />
    </div>
  );
}

/** The settings common to all kinds of lines. */
export const LimitFields = ({ field, line }: Fields & { line?: LineDetailsFragment }) => (
  <>
    <div className={styles.pair}>
      <TextInput
        {...field("ratePerMinute")}
        type="number"
        label="Max messages per minute"
        placeholder="No limit"
        min={1}
        max={MAX_RATE_PER_MINUTE}
        defaultValue={line?.ratePerMinute ?? ""}
      />
      <ExpiryFields field={field} seconds={line?.expireAfterSeconds ?? DEFAULT_EXPIRE_AFTER_SECONDS} />
    </div>
    <NativeSelect
      name="whenUncertain"
      label="If delivery is uncertain"
      data={optionsOf(WHEN_UNCERTAIN)}
      defaultValue={line?.whenUncertain ?? "retry"}
    />
    <TextInput
      {...field("optOutWords")}
      label="Opt-out words"
      description="Words in addition to STOP and the other standard words, separated by commas, such as ARRET, abmelden."
      defaultValue={line?.optOutWords.join(", ")}
    />
    <Textarea
      {...field("optOutReply")}
      label="Reply to an opt-out"
      description="Sent to contacts who write STOP. Leave empty to send no reply."
      defaultValue={line?.optOutReply ?? ""}
      rows={2}
    />
  </>
);

const textOf = (form: FormData, name: string): string | null => String(form.get(name) ?? "") || null;
const numberOf = (form: FormData, name: string): number | null => {
  const text = textOf(form, name);
  return text === null ? null : Number(text);
};

/** Returns the values of `NameField` and `LimitFields`. */
export const limitsOf = (form: FormData) => ({
  name: String(form.get("name")),
  ratePerMinute: numberOf(form, "ratePerMinute"),
  expireAfterSeconds: Math.round(
    (numberOf(form, "expireAfterSeconds") ?? 0) * (numberOf(form, "expireUnit") ?? 0),
  ),
  whenUncertain: String(form.get("whenUncertain")) as WhenUncertain,
  optOutReply: textOf(form, "optOutReply"),
  optOutWords: String(form.get("optOutWords") ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== ""),
});

/** Returns the values of `EmailFields`; null for an empty user name, port or password. */
export const emailOf = (form: FormData) => ({
  from: String(form.get("from")),
  subject: String(form.get("subject")),
  listAddress: textOf(form, "listAddress"),
  host: String(form.get("host")),
  security: String(form.get("security")) as SmtpSecurity,
  port: numberOf(form, "port"),
  user: textOf(form, "user"),
  password: textOf(form, "password"),
});
