import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { openBrowser } from "../support/browser";
import { sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { describeInChromium, launchChromium } from "./chromium";

const BUILT = join(__dirname, "../../dist/dashboard");

/** How long a page may take to show something; more than the time between two of its polls. */
const MAX_BATCH_WAIT_MS = 12_000;

interface Credentials {
  email: string;
  password: string;
}

/** Where a visit begins, and as whom. */
export interface Visit extends BrowserContextOptions {
  /** The owner when left out, nobody when null. */
  as?: Credentials | null;
}

/** A gateway with the built dashboard, and a browser to look at it. */
export interface Dashboard {
  gateway: TestGateway;
  /** Opens a page in a browser that has seen nothing before. */
  visit(path?: string, visit?: Visit): Promise<Page>;
}

/** A suite on a gateway of its own. What pages complain about in their console fails the test. */
export function describeDashboard(title: string, suite: (dashboard: Dashboard) => void): void {
  describeInChromium(title, () => {
    const dashboard = {} as Dashboard;
    let browser: Browser;
    let contexts: BrowserContext[] = [];
    let complaints: string[] = [];
    const cookies = new Map<string, Promise<Cookie>>();

    beforeAll(async () => {
      if (!existsSync(join(BUILT, "index.html")))
        throw new Error("The dashboard is not built: npm run build");
      const gateway = await startGateway(sqlite, { dashboard: BUILT });
      browser = await launchChromium();
      const visit: Dashboard["visit"] = async (
        path = "",
        { as = gateway.ownerCredentials, ...options } = {},
      ) => {
        const context = await browser.newContext({ reducedMotion: "reduce", ...options });
        contexts.push(context);
        context.setDefaultTimeout(MAX_BATCH_WAIT_MS);
        if (as !== null) {
          const cookie = cookies.get(as.email) ?? sessionCookie(gateway, as);
          cookies.set(as.email, cookie);
          await context.addCookies([await cookie]);
        }
        context.on("console", (message) => {
          if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
            complaints.push(message.text());
          }
        });
        context.on("weberror", (error) => complaints.push(String(error.error())));
        const page = await context.newPage();
        await page.goto(`${gateway.url}/dashboard${path}`);
        return page;
      };
      Object.assign(dashboard, { gateway, visit });
    }, 60_000);
    afterEach(async () => {
      for (const context of contexts) await context.close();
      const heard = complaints;
      contexts = [];
      complaints = [];
      expect(heard).toEqual([]);
    });
    afterAll(async () => {
      await browser?.close();
      await dashboard.gateway?.close();
    });
    suite(dashboard);
  });
}

type Cookie = Awaited<ReturnType<typeof sessionCookie>>;

/** Signs in without a page, and says which cookie a browser would have of that. */
async function sessionCookie(gateway: TestGateway, credentials: Credentials) {
  const browser = openBrowser(gateway);
  await browser.signIn(credentials);
  const [name = "", value = ""] = (browser.cookie() ?? "").split("=");
  return { name, value, domain: "127.0.0.1", path: "/graphql", httpOnly: true, sameSite: "Strict" as const };
}

/** Waits until it can be seen. */
export const seen = (what: Locator): Promise<void> => what.first().waitFor({ state: "visible" });

/** Waits until it is gone or hidden. */
export const gone = (what: Locator): Promise<void> => what.first().waitFor({ state: "hidden" });

/** The row of a table that holds a text. */
export const rowOf = (page: Page, text: string): Locator => page.getByRole("row").filter({ hasText: text });

/** The dialog that is open. */
export const dialogOf = (page: Page): Locator => page.getByRole("dialog");

/** As when one turns to another window and back: the page asks at once what is new. */
export const turnBackTo = (page: Page): Promise<unknown> =>
  page.evaluate(() => window.dispatchEvent(new Event("focus")));

/** Waits for what the gateway writes a moment later, turning back to the page until it is there. */
export async function seenInTime(what: Locator): Promise<void> {
  for (const end = Date.now() + MAX_BATCH_WAIT_MS; Date.now() < end; ) {
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
