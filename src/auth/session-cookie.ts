import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config";
import { GatewayError } from "../errors";
import type { SessionCookie } from "./context";

/** Browsers take `__Host-` only from this very host over HTTPS: neither a neighbour nor an eavesdropper can plant one. */
const OVER_HTTPS = { name: "__Host-gateway_session", path: "/", secure: true } as const;
const OVER_HTTP = { name: "gateway_session", path: "/graphql", secure: false } as const;

const FOREIGN =
  "The session cookie is for pages of this service under its own address. Behind a proxy, set PUBLIC_URL to that address.";

/**
 * Makes what gives a request its session cookie, for the one door that has them. Only a POST has one, and only
 * from a page of this service or a program: never what a link, a form or a page of another origin sends.
 * @param publicUrl the address that browsers know, where a proxy hides it from requests
 */
export function sessionCookies({ publicUrl }: Pick<Config, "publicUrl">) {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  /**
   * @returns undefined for a request that may have none
   * @throws GatewayError `forbidden` when one comes with a request of a foreign page
   */
  return (request: FastifyRequest, reply: FastifyReply): SessionCookie | undefined => {
    if (request.method !== "POST") return undefined;
    const form = isOverHttps(request, publicOrigin) ? OVER_HTTPS : OVER_HTTP;
    const { authorization, cookie } = request.headers;
    // A request that says in a header who it is does not say it in a cookie too.
    const token = authorization === undefined && cookie ? parseCookie(cookie)[form.name] : undefined;
    if (isForeign(request, publicOrigin)) {
      if (token !== undefined) throw new GatewayError("forbidden", FOREIGN);
      return undefined;
    }
    const put = (value: string, maxAge: number) => {
      // Fastify would add to the one that is there already.
      reply.removeHeader("set-cookie");
      reply.header(
        "set-cookie",
        stringifySetCookie({ ...form, value, maxAge, httpOnly: true, sameSite: "strict" }),
      );
    };
    return {
      token,
      set: (value, expiresAt) => put(value, Math.floor((Date.parse(expiresAt) - Date.now()) / 1000)),
      clear: () => {
        if (token !== undefined) put("", 0);
      },
    };
  };
}

/** Whether the browser speaks HTTPS, be it with a proxy that does not say so: then its page's origin does. */
const isOverHttps = (
  { headers, protocol, host }: FastifyRequest,
  publicOrigin: string | undefined,
): boolean =>
  protocol === "https" || publicOrigin?.startsWith("https:") === true || headers.origin === `https://${host}`;

/** Whether a page of another origin sent this; only browsers say so, and no page can make them say otherwise. */
function isForeign({ headers, protocol, host }: FastifyRequest, publicOrigin: string | undefined): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const { origin } = headers;
  if (origin === undefined || origin === publicOrigin || origin === `https://${host}`) return false;
  return protocol === "https" || origin !== `http://${host}`;
}
