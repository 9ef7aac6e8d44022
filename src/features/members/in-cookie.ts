import type { RequestContext } from "../../auth/context";
import { GatewayError } from "../../errors";
import type { CookieSession, SignedIn } from "./member.inputs";

/** Opens a session and stores its token in a cookie; throws `forbidden` for a page from another origin. */
export async function inCookie(
  { cookie }: RequestContext,
  open: () => Promise<SignedIn>,
): Promise<CookieSession> {
  if (cookie === undefined)
    throw new GatewayError("forbidden", "Only pages served by this service can use cookie sign-in.");
  const { token, expiresAt, member } = await open();
  cookie.set(token, expiresAt);
  return { expiresAt, member };
}
