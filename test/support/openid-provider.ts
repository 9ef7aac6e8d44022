import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseSetCookie } from "cookie";

/** Accounts at the issuer, by subject. */
export type Accounts = Record<string, Record<string, unknown>>;

/** `oidc-provider` in a separate process. */
export interface OpenIdProvider {
  issuer: string;
  /** Starts it with a client and accounts; a second call forgets all sessions. */
  configure(client: Record<string, unknown>, known: Accounts): Promise<void>;
  close(): Promise<void>;
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const child = fork(join(__dirname, "openid-issuer.mjs"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [{ issuer }] = await once(child, "message");
  return {
    issuer,
    configure: async (client, known) => {
      child.send({ client, known });
      await once(child, "message");
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}

/** A browser that follows redirects with its cookies, up to a URL that the test checks. */
export class FollowingBrowser {
  readonly cookies = new Map<string, string>();

  /** @param account the account that it signs in with at the issuer */
  constructor(public account: string) {}

  /** Returns the cookies for a URL's host; the issuer and the gateway differ only in their ports. */
  cookieHeader(url: string): string {
    const prefix = `${new URL(url).origin} `;
    return [...this.cookies]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => `${name.slice(prefix.length)}=${value}`)
      .join("; ");
  }

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.cookieHeader(url), "x-account": this.account, ...init.headers };
    const response = await fetch(url, { redirect: "manual", ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const { name, value = "", maxAge } = parseSetCookie(line);
      const key = `${new URL(url).origin} ${name}`;
      if (maxAge === 0 || value === "") this.cookies.delete(key);
      else this.cookies.set(key, value);
    }
    return response;
  }

  /**
   * Follows redirects from a URL until one leads to a URL with the prefix `until`, and returns this URL without
   * requesting it.
   * @param at returns the address that serves a URL
   */
  async follow(from: string, until: string, at = (url: string) => url): Promise<string> {
    let url = from;
    for (let hops = 0; hops < 10; hops++) {
      const response = await this.send(url);
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
      url = at(new URL(location, url).href);
      if (url.startsWith(until)) return url;
    }
    throw new Error(`No redirect led to ${until}.`);
  }
}
