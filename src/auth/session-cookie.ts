import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Timestamp } from "../common/time";
import type { Config } from "../config";
import { GatewayError } from "../errors";
import type { SessionCookie } from "./context";

/** Only the same host can set `__Host-` cookies, over HTTPS: sibling domains and eavesdroppers cannot. */
const OVER_HTTPS = { name: "__Host-gateway_session", path: "/", secure: true } as const;
const OVER_HTTP = { name: "gateway_session", path: "/graphql", secure: false } as const;

type Form = typeof OVER_HTTPS | typeof OVER_HTTP;

/** Returns the `Set-Cookie` header that stores a session token; an empty token deletes the cookie. */
const setCookie = (form: Form, value: string, maxAge: number): string =>
  stringifySetCookie({ ...form, value, maxAge, httpOnly: true, sameSite: "strict" });

const secondsUntil = (expiresAt: Timestamp): number =>
  Math.floor((Date.parse(expiresAt) - Date.now()) / 1000);

/** Returns the `Set-Cookie` header for a session created outside the GraphQL API; browsers use the `baseUrl`. */
export const sessionCookieFor = (
  { token, expiresAt }: { token: string; expiresAt: Timestamp },
  baseUrl: string,
): string => setCookie(baseUrl.startsWith("https:") ? OVER_HTTPS : OVER_HTTP, token, secondsUntil(expiresAt));

const FOREIGN =
  "The session cookie is accepted only from pages on the service's own origin. Behind a proxy, set PUBLIC_URL to that origin.";

/**
 * Creates the function that gives a GraphQL request access to its session cookie. Only a POST from a same-origin page
 * or a non-browser client has access; links, forms and pages of other origins do not.
 * @param publicUrl the address that browsers use, if a proxy hides it from requests
 */
export function sessionCookies({ publicUrl }: Pick<Config, "publicUrl">) {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  /**
   * @returns undefined for a request without access to its cookie
   * @throws GatewayError `forbidden` for a cookie on a cross-origin request
   */
  return (request: FastifyRequest, reply: FastifyReply): SessionCookie | undefined => {
    if (request.method !== "POST") return undefined;
    const form = isOverHttps(request, publicOrigin) ? OVER_HTTPS : OVER_HTTP;
    const { authorization, cookie } = request.headers;
    // The Authorization header takes precedence over the cookie.
    const token = authorization === undefined && cookie ? parseCookie(cookie)[form.name] : undefined;
    if (isForeign(request, publicOrigin)) {
      if (token !== undefined) throw new GatewayError("forbidden", FOREIGN);
      return undefined;
    }
    const put = (value: string, maxAge: number) => {
      // Fastify would otherwise append a second Set-Cookie header.
      reply.removeHeader("set-cookie");
      reply.header("set-cookie", setCookie(form, value, maxAge));
    };
    return {
      token,
      set: (value, expiresAt) => put(value, secondsUntil(expiresAt)),
      clear: () => {
        if (token !== undefined) put("", 0);
      },
    };
  };
}

/** True if the browser uses HTTPS; behind a proxy that does not forward the protocol, the page's origin reveals it. */
const isOverHttps = (
  { headers, protocol, host }: FastifyRequest,
  publicOrigin: string | undefined,
): boolean =>
  protocol === "https" || publicOrigin?.startsWith("https:") === true || headers.origin === `https://${host}`;

/** True if a page of another origin sent the request, according to headers that pages cannot forge. */
export function isForeign(
  { headers, protocol, host }: FastifyRequest,
  publicOrigin: string | undefined,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const { origin } = headers;
  if (origin === undefined || origin === publicOrigin || origin === `https://${host}`) return false;
  return protocol === "https" || origin !== `http://${host}`;
}
