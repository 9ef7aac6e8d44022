import { parseSetCookie } from "cookie";
import type { Call, Reply, TestGateway } from "./gateway";

const SIGN_IN = `mutation ($input: SignInWithCookieInput!) {
  signInWithCookie(input: $input) { expiresAt member { email organization { slug } } }
}`;

/** A minimal browser on a page of the gateway: it only keeps the cookies that it gets and sends them back. */
export interface Browser {
  /** The `Cookie` header that it would send; undefined if it has no cookies. */
  cookie(): string | undefined;
  ask(query: string, variables?: Record<string, unknown>, call?: Call): Promise<Reply>;
  signIn(credentials: { email: string; password: string }, call?: Call): Promise<Reply>;
}

/**
 * Opens a browser.
 * @param address the URL in its address bar, if a proxy is in front of the gateway
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
