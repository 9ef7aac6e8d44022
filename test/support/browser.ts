import { parseSetCookie } from "cookie";
import type { Call, Reply, TestGateway } from "./gateway";

const SIGN_IN = `mutation ($input: SignInWithCookieInput!) {
  signInWithCookie(input: $input) { expiresAt member { email organization { slug } } }
}`;

/**
 * A browser with an open page of the gateway, limited to cookies: it keeps the cookies that it gets and sends them
 * back.
 */
export interface Browser {
  /** The `Cookie` header that it would send; undefined without cookies. */
  cookie(): string | undefined;
  ask(query: string, variables?: Record<string, unknown>, call?: Call): Promise<Reply>;
  signIn(credentials: { email: string; password: string }, call?: Call): Promise<Reply>;
}

/**
 * Opens a browser.
 * @param address the address in its address bar, if there is a proxy between it and the gateway
 */
export function openBrowser(gateway: TestGateway, address = gateway.url): Browser {
  let kept: string | undefined;
  const browser: Browser = {
    cookie: () => kept,
    ask: async (query, variables = {}, call = {}) => {
      const headers = { origin: address, "sec-fetch-site": "same-origin", ...call.headers };
      const reply = await gateway.graphql(query, variables, {
        token: null,
        ...call,
        headers: { ...(kept !== undefined && { cookie: kept }), ...headers },
      });
      for (const line of reply.headers.getSetCookie()) {
        const { name, value, maxAge } = parseSetCookie(line);
        kept = maxAge === 0 ? undefined : `${name}=${value}`;
      }
      return reply;
    },
    signIn: ({ email, password }, call) => browser.ask(SIGN_IN, { input: { email, password } }, call),
  };
  return browser;
}
