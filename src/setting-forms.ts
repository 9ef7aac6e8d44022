import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import proxyAddr from "@fastify/proxy-addr";
import { z } from "zod";
import { ENVIRONMENTS } from "./common/environment";
import { isCidr } from "./common/network";
import { InstanceKey } from "./credentials/instance-key";

export const integer = (name: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `${name} must be a whole number`)
    .transform(Number)
    .pipe(z.number().min(min, `${name} must be at least ${min}`).max(max, `${name} must be at most ${max}`));

export const flag = (name: string) => z.enum(["true", "false"], `${name} must be true or false`);

export const text = (name: string, maxLength: number) =>
  z.string().max(maxLength, `${name} must have at most ${maxLength} characters`);

export const sized = (text: z.ZodString, name: string, min: number, max: number) =>
  text
    .min(min, `${name} must have ${min} to ${max} characters`)
    .max(max, `${name} must have ${min} to ${max} characters`);

/** Creates a format for printable ASCII without spaces, such as a token. */
export const ascii = (name: string, minLength: number, maxLength: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[\\x21-\\x7e]{${minLength},${maxLength}}$`),
      `${name} must have ${minLength} to ${maxLength} ASCII characters without spaces`,
    );

export const url = (name: string) =>
  z
    .url({ protocol: /^https?$/, error: `${name} must be an http or https URL` })
    .refine((text) => !/^https?:\/\/[^/?#]*@/.test(text), `${name} must not contain a user name or password`)
    .transform((text) => text.replace(/\/+$/, ""));

const items = (text: string) => text.split(",").map((item) => item.trim());

const list = z.string().transform((text) => items(text).filter((item) => item !== ""));

/** True if a string is a serialized origin (RFC 6454, 6.2), the only form that browsers send. */
const isOrigin = (text: string): boolean =>
  !text.includes("*") && /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

export const origins = list.pipe(
  z.array(z.string().refine(isOrigin, "CORS_ORIGINS must contain origins such as https://app.example.com")),
);

/** Host names or addresses as in the Host header, without ports and with IPv6 addresses in brackets. */
export const hosts = list.pipe(
  z.array(
    z
      .string()
      .toLowerCase()
      .refine(
        (text) => /^([\w.-]+|\[[\da-f:.]+\])$/.test(text),
        "ALLOWED_HOSTS must contain host names without ports, such as gateway.example.com",
      ),
  ),
);

export const networks = (name: string) =>
  list.pipe(
    z.array(z.string().refine(isCidr, `${name} must contain networks such as 10.0.0.0/8 or ::1/128`)),
  );

/** True if Fastify accepts a list of proxies: addresses, CIDR ranges, and names such as `loopback`. */
function areProxies(list: string[]): boolean {
  try {
    proxyAddr.compile(list);
    return true;
  } catch {
    return false;
  }
}

/** `TRUST_PROXY`: `true`, `false`, a number of hops, or a list of addresses and CIDR ranges. */
export const trustProxy = z
  .string()
  .refine(
    (text) => /^(true|false|\d+)$/.test(text) || areProxies(items(text)),
    "TRUST_PROXY must be true, false, a number of hops, or addresses and CIDR ranges",
  )
  .transform((text): boolean | string[] | ((address: string, hop: number) => boolean) => {
    if (text === "true" || text === "false") return text === "true";
    return /^\d+$/.test(text) ? (_, hop) => hop < Number(text) : items(text);
  });

/** True if `new URL` and the drivers can parse a `postgres://` URL. */
function isPostgresUrl(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(text);
    return decodeURIComponent(username + password) !== undefined && pathname.length > 1;
  } catch {
    return false;
  }
}

const DATABASE_URL_FORM =
  "DATABASE_URL must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>, each part URL-encoded";

export const databaseUrl = z
  .string()
  .regex(/^(sqlite:(?!:memory:).+|postgres(ql)?:\/\/.+)$/, DATABASE_URL_FORM)
  .refine((text) => text.startsWith("sqlite:") || isPostgresUrl(text), DATABASE_URL_FORM);

export const environment = (name: string) =>
  z.enum(ENVIRONMENTS, `${name} must be development, staging or production`);

export const environments = list.pipe(z.array(environment("Each of ACCEPT_KEY_ENVIRONMENTS")));

const MAX_WORKERS = 256;

/** `WORKERS`: a number of processes, or `auto` for one per core. */
export const workers = z
  .string()
  .regex(/^(auto|\d+)$/, "WORKERS must be auto or a number of at least 1")
  .transform((text) => (text === "auto" ? Math.min(availableParallelism(), MAX_WORKERS) : Number(text)))
  .pipe(
    z
      .number()
      .min(1, "WORKERS must be at least 1")
      .max(MAX_WORKERS, `WORKERS must be at most ${MAX_WORKERS}`),
  );

export const instanceKey = z.string().transform((text, { addIssue }) => {
  const key = InstanceKey.parse(text);
  if (key === undefined)
    addIssue("INSTANCE_KEY must be 32 bytes in base64, such as the output of `openssl rand -base64 32`");
  return key;
});

const SMTP_URL_FORM =
  "SMTP_URL must be smtp://<host> or smtps://<host>, with <user>:<password>@ and :<port> if needed, each part URL-encoded";

/** A mail server URL: `smtp` requires STARTTLS, unless `?ignoreTLS=true` states that the server does not support it. */
export const smtpUrl = z.string().transform((text, { addIssue }) => {
  try {
    const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
    const isPlain = search === "?ignoreTLS=true" && protocol === "smtp:";
    const isValid = /^smtps?:$/.test(protocol) && hostname !== "" && /^\/?$/.test(pathname) && hash === "";
    if (isValid && (isPlain || search === ""))
      return {
        host: hostname.replace(/^\[(.*)\]$/, "$1"),
        port: Number(port) || (protocol === "smtps:" ? 465 : 587),
        security:
          protocol === "smtps:" ? ("tls" as const) : isPlain ? ("none" as const) : ("starttls" as const),
        ...(username && { user: decodeURIComponent(username), password: decodeURIComponent(password) }),
      };
  } catch {
    // An invalid URL is reported below.
  }
  addIssue(SMTP_URL_FORM);
  return z.NEVER;
});

const MAIL_FROM_FORM = "MAIL_FROM must be an e-mail address, or a name and <address>";

export const mailFrom = z
  .string()
  .max(320, MAIL_FROM_FORM)
  .regex(/^(?:[^<>\p{Cc}]*<[^\s<>,;@]+@[^\s<>,;@]+>|[^\s<>,;@]+@[^\s<>,;@]+)$/u, MAIL_FROM_FORM);

/** A name in `EHLO`: a domain or an address literal (RFC 5321, 4.1.3). */
const SMTP_HELO =
  /^([a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*|\[[\d.]+\]|\[IPv6:[\da-f:.]+\])$/i;

const SMTP_HELO_FORM = "SMTP_HELO must be a host name, or an IP address in brackets";

export const heloName = z.string().max(255, SMTP_HELO_FORM).regex(SMTP_HELO, SMTP_HELO_FORM);

/** Returns the host of a URL as a name for `EHLO`. */
export function heloNameOf(url: string | undefined): string | undefined {
  const host = url === undefined ? "" : new URL(url).hostname;
  if (isIP(host) !== 0) return `[${host}]`;
  const name = host.replace(/^\[/, "[IPv6:").replace(/\.$/, "");
  return SMTP_HELO.test(name) ? name : undefined;
}

/** `OIDC_ISSUER`, which is not normalized, because issuers must match exactly and some end with a slash. */
export const issuer = z
  .url({ protocol: /^https?$/, error: "OIDC_ISSUER must be an http or https URL" })
  .max(500, "OIDC_ISSUER must have at most 500 characters");

const GROUPS_FORM = "OIDC_PERMISSIONS must contain pairs such as Administrators=config:manage";

/** `OIDC_PERMISSIONS`: pairs of a group and a permission; a name may contain an equals sign. */
export const groups = list.pipe(
  z.array(
    z.string().transform((pair, { addIssue }) => {
      const at = pair.lastIndexOf("=");
      const [group, permission] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
      if (at > 0 && group !== "" && permission !== "") return { group, permission };
      addIssue(GROUPS_FORM);
      return z.NEVER;
    }),
  ),
);

/** `OTEL_…_EXPORTER`: determines whether a signal is exported. */
export const exporter = (name: string) => z.enum(["otlp", "none"], `${name} must be otlp or none`);

const SAMPLERS = [
  ...["always_on", "always_off", "traceidratio"],
  ...["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"],
];

export const sampler = z.enum(SAMPLERS, `OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(", ")}`);

export const samplerRatio = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/, "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
  .transform(Number);
