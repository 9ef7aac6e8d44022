import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { openBrowser } from "../support/browser";
import { sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { describeInChromium, launchChromium } from "./chromium";

/** Folder of the built dashboard. */
export const BUILT = join(__dirname, "../../dist/dashboard");

/** Max time for a page to show something (ms); longer than its polling interval, even on a busy machine. */
const TIMEOUT_MS = 60_000;

/** Delay between two checks of a page (ms). */
const PAUSE_MS = 50;

interface Credentials {
  email: string;
  password: string;
}

type Settings = Record<string, string>;

export interface Visit extends BrowserContextOptions {
  /** The owner by default; null for no session. */
  as?: Credentials | null;
  /** True if the test runs the page's timers. */
  clock?: true;
}

/** A gateway with the built dashboard, and a browser. */
export interface Dashboard {
  gateway: TestGateway;
  /** Opens a page in a browser context without earlier cookies and storage. */
  visit(path?: string, visit?: Visit): Promise<Page>;
}

/**
 * Declares a suite with its own gateway, whose URL is the front's. An error in the console of a page fails the test.
 * @param env settings of the gateway, which may depend on its URL
 */
export function describeDashboard(
  title: string,
  suite: (dashboard: Dashboard) => void,
  env: Settings | ((publicUrl: string) => Settings | Promise<Settings>) = {},
): void {
  describeInChromium(title, () => {
    const dashboard = {} as Dashboard;
    const cookies = new Map<string, Promise<Cookie>>();

    beforeAll(async () => {
      if (!existsSync(join(BUILT, "index.html")))
        throw new Error("The dashboard is not built: npm run build");
      const { url, leadTo } = await openFront();
      const settings = typeof env === "function" ? await env(url) : env;
      const gateway = await startGateway(sqlite, {
        dashboard: BUILT,
        env: settings,
        signInOwner: !settings.OIDC_ONLY,
      });
      leadTo(gateway.url);
      gateway.url = url;
      const visit: Dashboard["visit"] = async (
        path = "",
        { as = gateway.ownerCredentials, viewport, colorScheme, ...options } = {},
      ) => {
        const context = await contexts.acquire(url, { reducedMotion: "reduce", ...options });
        if (as !== null) {
          const cookie = cookies.get(as.email) ?? sessionCookie(gateway, as);
          cookies.set(as.email, cookie);
          await context.addCookies([await cookie]);
        }
        const page = await context.newPage();
        await page.addInitScript(clearStorageOnce);
        if (viewport) await page.setViewportSize(viewport);
        if (colorScheme) await page.emulateMedia({ colorScheme });
        await page.goto(`${url}/dashboard${path}`);
        return page;
      };
      Object.assign(dashboard, { gateway, visit });
    });
    afterEach(async () => {
      await contexts.releaseAll();
      expect(contexts.errors.splice(0)).toEqual([]);
    });
    afterAll(() => dashboard.gateway?.close());
    suite(dashboard);
  });
}

/**
 * Removes what an earlier test stored. Runs in the new page, because what a closed page stored last can still arrive
 * after another page has cleared the storage.
 */
function clearStorageOnce(): void {
  const isOpaque = self.origin === "null";
  if (isOpaque || self !== top || sessionStorage.getItem("cleared") !== null) return;
  localStorage.clear();
  sessionStorage.setItem("cleared", "");
}

/**
 * A URL that is known before the gateway's port and is the same for all gateways, so that they share the browser's
 * contexts. It has a host name, because passkeys do not work with IP addresses.
 */
interface Front {
  url: string;
  leadTo(gatewayUrl: string): void;
}

let front: Promise<Front> | undefined;

function openFront(): Promise<Front> {
  front ??= startFront();
  return front;
}

async function startFront(): Promise<Front> {
  let port = 0;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => near.destroy());
  }).listen(0, "localhost");
  server.unref();
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    leadTo: (gatewayUrl) => {
      port = Number(new URL(gatewayUrl).port);
    },
  };
}

/**
 * Browser contexts that later tests reuse, because a new one would compile and optimize the dashboard's scripts again,
 * which takes most of a page's load time. They end with the browser.
 */
class ContextPool {
  /** The errors in the consoles of all pages. */
  readonly errors: string[] = [];
  private readonly idle = new Map<string, BrowserContext[]>();
  private acquired: { context: BrowserContext; key: string; anchor: Page }[] = [];

  async acquire(url: string, options: Visit): Promise<BrowserContext> {
    const key = JSON.stringify(options);
    const context = this.idle.get(key)?.pop() ?? (await this.create(options));
    // Keeps the process of the site alive after the other pages are closed.
    const anchor = context.pages()[0] ?? (await context.newPage());
    if (anchor.url() === "about:blank") await anchor.goto(`${url}/favicon.ico`);
    this.acquired.push({ context, key, anchor });
    return context;
  }

  private async create({ clock, ...options }: Visit): Promise<BrowserContext> {
    const context = await (await launchChromium()).newContext(options);
    if (clock) await context.clock.install();
    context.setDefaultTimeout(TIMEOUT_MS);
    context.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        this.errors.push(message.text());
      }
    });
    context.on("weberror", (error) => this.errors.push(String(error.error())));
    return context;
  }

  /** Closes the pages of all contexts and removes their routes and cookies. */
  async releaseAll(): Promise<void> {
    for (const { context, key, anchor } of this.acquired) {
      for (const page of context.pages()) if (page !== anchor) await page.close();
      await context.unrouteAll();
      await context.clearCookies();
      this.idle.set(key, [...(this.idle.get(key) ?? []), context]);
    }
    this.acquired = [];
  }
}

const contexts = new ContextPool();

type Cookie = Awaited<ReturnType<typeof sessionCookie>>;

/**
 * Signs in without a page.
 * @returns the cookie for the browser
 */
async function sessionCookie(gateway: TestGateway, credentials: Credentials) {
  const { host, hostname: domain } = new URL(gateway.url);
  const browser = openBrowser(gateway);
  await browser.signIn(credentials, { headers: { host } });
  const [name = "", value = ""] = (browser.cookie() ?? "").split("=");
  return { name, value, domain, path: "/graphql", httpOnly: true, sameSite: "Strict" as const };
}

/**
 * Opens another dashboard path as its links do, without reloading the scripts or axe. The new heading appears
 * immediately, even while the page is loading.
 */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(null, "", to), `/dashboard${path}`);

type Polled<T> = jest.Matchers<Promise<void>, T>;

/**
 * Waits until a page meets an expectation, like Playwright's `expect.poll`.
 * @param read is called until the matcher accepts its result
 */
export function eventually<T>(read: () => T | Promise<T>, not = false): Polled<T> & { not: Polled<T> } {
  const end = Date.now() + TIMEOUT_MS;
  const match = async (matcher: string, expected: unknown[]) => {
    const matchers = expect(await read());
    Reflect.get(not ? matchers.not : matchers, matcher)(...expected);
  };
  const poll = async (matcher: string, expected: unknown[]): Promise<void> => {
    while (Date.now() < end) {
      try {
        return await match(matcher, expected);
      } catch {
        await setTimeout(PAUSE_MS);
      }
    }
    await match(matcher, expected);
  };
  return new Proxy({} as ReturnType<typeof eventually<T>>, {
    get: (_, name: string) =>
      name === "not" ? eventually(read, true) : (...expected: unknown[]) => poll(name, expected),
  });
}

/** Waits until an element is visible. */
export const seen = (what: Locator): Promise<void> => what.first().waitFor({ state: "visible" });

/** Waits until an element is removed or hidden. */
export const gone = (what: Locator): Promise<void> => what.first().waitFor({ state: "hidden" });

/** Presses Enter on a button or link once it is enabled, because disabled buttons ignore the keys that Playwright presses. */
export const pressEnter = (what: Locator): Promise<void> =>
  what.and(what.page().locator(":not(:disabled)")).press("Enter");

/** Returns the table row that contains the given text. */
export const rowOf = (page: Page, text: string): Locator => page.getByRole("row").filter({ hasText: text });

/** Counts the rejected requests in the audit log, which has a separate entry for each minute. */
export async function rejectedRequests(page: Page): Promise<number> {
  const texts = await page
    .getByRole("main")
    .getByText(/ w(as|ere) rejected/)
    .allTextContents();
  return texts.reduce((sum, text) => sum + Number(/\((\d+) in 1 min\)/.exec(text)?.[1] ?? 1), 0);
}

export const dialogOf = (page: Page): Locator => page.getByRole("dialog");

/** Chooses an action from the menu of an item in a list or on a page. */
export async function act(page: Page, name: string, action: string): Promise<void> {
  await page
    .getByRole("button", { name: `Actions for ${name}` })
    .first()
    .click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Returns the paths of all pages below /dashboard, from the owner's navigation. */
export async function pagePaths(dashboard: Dashboard): Promise<string[]> {
  const page = await dashboard.visit();
  const links = page.getByRole("navigation", { name: "Dashboard" }).getByRole("link");
  await seen(links);
  const paths = await links.evaluateAll((all) =>
    all.map((link) => (link as HTMLAnchorElement).pathname.replace(/^\/dashboard\/?/, "/")),
  );
  return paths;
}

/**
 * Acts on a page before its polling shows a change made elsewhere, which could remove the control.
 * @param change makes the change, while the page's queries are held back
 * @param act sends the page's own change, and must not depend on a query
 */
export async function beforeNews(
  page: Page,
  change: () => Promise<unknown>,
  act: () => Promise<void>,
): Promise<void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (!/mutation\b/.test(route.request().postData() ?? "")) await released;
    await route.continue();
  });
  await change();
  await act();
  release();
  await page.unrouteAll({ behavior: "wait" });
}

/** Simulates a switch to another window and back, which makes the page reload its data. */
const turnBackTo = (page: Page): Promise<unknown> =>
  page.evaluate(() => window.dispatchEvent(new Event("focus")));

/** Waits until a change made elsewhere is visible, reloading the page's data because polling would take longer. */
export async function seenInTime(what: Locator): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; ) {
    await turnBackTo(what.page());
    const there = await what
      .first()
      .waitFor({ timeout: 500 })
      .then(
        () => true,
        () => false,
      );
    if (there) return;
  }
  await seen(what);
}
