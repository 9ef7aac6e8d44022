import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";
import { COLOR_RULES, fits, violations } from "./axe";
import { describeInChromium, launchChromium } from "./chromium";
import { eventually } from "./visit";

const WIDE = { width: 1360, height: 900 };

const PHONE = { width: 390, height: 844 };

const WINDOWS: Record<string, BrowserContextOptions> = {
  "a wide window": { viewport: WIDE },
  "a phone": { viewport: PHONE },
};

const ROUTES = ["", "auth", "get-/v1/pets", "post-/v1/pets", "post-/messages", "cmp--schemas-pet"];

describeInChromium("/docs", () => {
  const gateway = suiteGateway(sqlite);
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });

  async function open(options?: BrowserContextOptions): Promise<void> {
    context = await browser.newContext({ reducedMotion: "reduce", ...options });
    page = await context.newPage();
    problems = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(gateway.url)) problems.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    const session = await context.newCDPSession(page);
    await session.send("Animation.enable");
    await session.send("Animation.setPlaybackRate", { playbackRate: 1000 });
  }

  /** Switches the color scheme and waits until the transitions of its colors are over. */
  async function setColorScheme(colorScheme: "light" | "dark"): Promise<void> {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
    );
  }

  /** Shows a page of the viewer, as a link to it would. */
  async function show(route: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${gateway.url}/docs${route && `#?route=${route}`}`);
    await page.locator("openapi-explorer main[tabindex]").waitFor();
  }

  async function setKey(): Promise<void> {
    await show("auth");
    await page.getByPlaceholder("api-token").fill(gateway.key);
    await page.getByRole("button", { name: /^set$/i }).click();
    await page.getByText("Key Applied", { exact: true }).waitFor();
  }

  /** Opens an operation from the navigation, so that the key stays set, and sends its example. */
  async function send(summary: string): Promise<void> {
    await page.getByRole("link", { name: summary }).click();
    await page.getByRole("button", { name: /^execute$/i }).click();
  }

  async function checkFit(route: string): Promise<void> {
    await eventually(async () => ({ route, fits: await fits(page) })).toEqual({ route, fits: true });
  }

  /** Checks the page, by all rules in light and by those about colors in the dark. */
  async function check(route: string): Promise<void> {
    await eventually(async () => ({ route, found: await violations(page) })).toEqual({ route, found: [] });
    await checkFit(route);
    await setColorScheme("dark");
    await eventually(async () => ({ route, dark: await violations(page, { only: COLOR_RULES }) })).toEqual({
      route,
      dark: [],
    });
    await setColorScheme("light");
  }

  test("a developer sets the key and sends requests", async () => {
    await open();
    await setKey();
    await send("Verify an API key");
    await page.getByText("OK (200)").waitFor();
    await page.getByText('"first-agent"').first().waitFor();
    await send("Add a pet");
    await page.getByText("Created (201)").waitFor();
    const pets = await gateway.rest("GET", "/v1/pets");
    expect(pets.body).toHaveLength(1);
  });

  test("every kind of page passes axe, light and dark, and fits a wide window and a phone", async () => {
    await open({ viewport: WIDE });
    for (const route of ROUTES) {
      await show(route);
      await check(route);
      await page.setViewportSize(PHONE);
      await checkFit(route);
      await page.setViewportSize(WIDE);
    }
  }, 180_000);

  describe.each(Object.entries(WINDOWS))("in %s", (_, options) => {
    test("a set key and an answer pass axe, light and dark, and fit", async () => {
      await open(options);
      await setKey();
      await check("auth");
      await page.evaluate(() => {
        location.hash = "#?route=get-/agent/whoami";
      });
      const execute = page.getByRole("button", { name: /^execute$/i });
      await execute.click();
      await page.getByText("OK (200)").waitFor();
      for (const colorScheme of ["dark", "light"] as const) {
        await setColorScheme(colorScheme);
        const isReadable = () =>
          execute.evaluate(
            (button) => getComputedStyle(button).color !== getComputedStyle(button).backgroundColor,
          );
        await eventually(isReadable).toBe(true);
      }
      await check("get-/agent/whoami");
    });
  });

  test("it follows the color scheme of the system", async () => {
    await open({ colorScheme: "light" });
    await show("");
    const color = () =>
      page.locator("openapi-explorer main").evaluate((main) => getComputedStyle(main).color);
    const light = await color();
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(async () => [light, await color()]).toEqual(["rgb(20, 24, 31)", "rgb(231, 234, 238)"]);
  });
});
