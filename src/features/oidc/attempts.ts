import { hkdfSync, randomBytes } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import { type Timestamp, timestamp } from "../../common/time";
import type { Config } from "../../config";
import { InstanceKey } from "../../credentials/instance-key";

/** Max time that a person can spend at the issuer (ms). */
const LIFETIME_MS = 10 * 60_000;

/** Identifies the purpose that sealed data is bound to. */
const PURPOSE = "sign-in by OpenID Connect";

const PATH_MAX_LENGTH = 1_000;

/** A sign-in that a browser has started; the issuer's response must match it. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  /** How to force a new sign-in; undefined if an existing session at the issuer is sufficient. */
  again: Again | undefined;
  /** ID of the invitation to accept; undefined if the sign-in was not started from an invitation. */
  invitation: string | undefined;
  expiresAt: Timestamp;
}

/** Ways to force a new sign-in: with `max_age` or, if the issuer ignores it, with `prompt=login` as well. */
type Again = "max_age" | "login";

/** Stores attempts in sealed browser cookies, so that any process can serve the callback. */
export class Attempts {
  private readonly key: InstanceKey;
  private readonly cookie: { name: string; path: string; secure: boolean };

  /** @param baseUrl the URL at which browsers reach the service */
  constructor({ clientSecret }: Pick<NonNullable<Config["oidc"]>, "clientSecret">, baseUrl: string) {
    // Derived from the client secret, which all processes share, because the instance key may be missing.
    const bytes = Buffer.from(hkdfSync("sha256", clientSecret, "", `gateway ${PURPOSE}`, 32));
    this.key = InstanceKey.parse(bytes.toString("base64")) as InstanceKey;
    this.cookie = baseUrl.startsWith("https:")
      ? { name: "__Host-gateway_oidc", path: "/", secure: true }
      : { name: "gateway_oidc", path: "/auth/oidc", secure: false };
  }

  /**
   * Starts an attempt, and returns it with the `Set-Cookie` header that stores it.
   * @param returnTo dashboard path; any other value is replaced with the first page's path
   */
  start(
    returnTo: unknown,
    options: Pick<Attempt, "again" | "invitation">,
  ): { attempt: Attempt; cookie: string } {
    const [state, nonce, verifier] = [secret(), secret(), secret()];
    const expiresAt = timestamp(LIFETIME_MS);
    const attempt = { state, nonce, verifier, returnTo: dashboardPath(returnTo), ...options, expiresAt };
    const value = this.key.seal(JSON.stringify(attempt), PURPOSE);
    return { attempt, cookie: this.setCookie(value, LIFETIME_MS / 1000) };
  }

  /** Returns the attempt in a `Cookie` header; undefined if there is none or it has expired. */
  in(header: string | undefined): Attempt | undefined {
    const value = header === undefined ? undefined : parseCookie(header)[this.cookie.name];
    const text = value === undefined ? undefined : this.key.open(value, PURPOSE);
    if (text === undefined) return undefined;
    const attempt: Attempt = JSON.parse(text);
    return attempt.expiresAt > timestamp() ? attempt : undefined;
  }

  /** The `Set-Cookie` header that deletes an attempt. */
  get cleared(): string {
    return this.setCookie("", 0);
  }

  private setCookie(value: string, maxAge: number): string {
    // The issuer's redirect is a cross-site request, and browsers send no `SameSite=Strict` cookies with it.
    return stringifySetCookie({ ...this.cookie, value, maxAge, httpOnly: true, sameSite: "lax" });
  }
}

const secret = () => randomBytes(32).toString("base64url");

/** Returns the given path if it is in the dashboard, otherwise the first page's path. */
export function dashboardPath(text: unknown): string {
  const origin = "http://localhost";
  if (typeof text !== "string" || text.length > PATH_MAX_LENGTH || !URL.canParse(text, origin))
    return "/dashboard";
  const url = new URL(text, origin);
  const isDashboard = /^\/dashboard(?:\/(?!\/)|$)/.test(url.pathname);
  return url.origin === origin && isDashboard ? `${url.pathname}${url.search}` : "/dashboard";
}
