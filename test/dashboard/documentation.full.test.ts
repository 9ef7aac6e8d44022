import type { BrowserContext, Page } from "playwright-core";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";
import { COLOR_RULES, fits, violations, type Within } from "./axe";
import { describeInChromium, launchChromium } from "./chromium";
import { BUILT, eventually } from "./visit";

const WIDE = { width: 1360, height: 900 };

const PHONE = { width: 390, height: 844 };

const within = (part: string): Within => ({ fromShadowDom: ["openapi-explorer", part] });

/** Excludes the navigation, which is the same on all pages. */
const MAIN = within("main");

/**
 * One page of each kind, and the part to check. The last page shows all schemas, in 18,000 elements that differ only in
 * their texts.
 */
const ROUTES: readonly [route: string, part?: Within][] = [
  ["overview"],
  ["auth", MAIN],
  ["get-/v1/pets", MAIN],
  ["post-/v1/pets", MAIN],
  ["post-/messages", MAIN],
  ["cmp--schemas-pet", within('[id="cmp--schemas-pet"]')],
];

describeInChromium("/docs", () => {
  const gateway = suiteGateway(sqlite, { dashboard: BUILT });
  let context: BrowserContext;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    // One context for all tests, so that the viewer is compiled once.
    context = await (await launchChromium()).newContext({ reducedMotion: "reduce", viewport: WIDE });
  });
  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });
  afterAll(() => context?.close());

  beforeEach(async () => {
    page = await context.newPage();
    problems = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(gateway.url)) problems.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
  });

  /** Switches the color scheme and waits until the color transitions are over. */
  async function setColorScheme(colorScheme: "light" | "dark"): Promise<void> {
    const session = await context.newCDPSession(page);
    await session.send("Animation.enable");
    await session.send("Animation.setPlaybackRate", { playbackRate: 1000 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
    );
    await session.detach();
  }

  /** Opens a page of the viewer as a link to it would. */
  async function show(route: string): Promise<void> {
    await page.goto(`${gateway.url}/docs#?route=${route}`);
    await page.locator(`openapi-explorer main[tabindex] [id="${route}"]`).waitFor({ state: "attached" });
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

  const passes = (route: string, options: Parameters<typeof violations>[1]) =>
    eventually(async () => [route, options, await violations(page, options)]).toEqual([route, options, []]);

  /**
   * Checks that the page fits both windows. In one of them, it must pass all rules in light mode and the color rules in
   * dark mode.
   */
  async function check(route: string, part?: Within, window = WIDE): Promise<void> {
    for (const viewport of [window === WIDE ? PHONE : WIDE, window]) {
      await page.setViewportSize(viewport);
      await eventually(async () => [route, viewport, await fits(page)]).toEqual([route, viewport, true]);
    }
    await passes(route, { within: part });
    await setColorScheme("dark");
    await passes(route, { within: part, only: COLOR_RULES });
    await setColorScheme("light");
  }

  test("a developer sets the key and sends requests", async () => {
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
    for (const [route, part] of ROUTES) {
      await show(route);
      await check(route, part);
    }
  });

  test("a set key and a response pass axe, light and dark, and fit a wide window and a phone", async () => {
    await setKey();
    await check("auth", undefined, PHONE);
    await check("auth", MAIN);
    await show("get-/agent/whoami");
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
    await check("get-/agent/whoami", MAIN);
    await check("get-/agent/whoami", MAIN, PHONE);
  });

  test("it follows the color scheme of the system", async () => {
    await page.emulateMedia({ colorScheme: "light" });
    await show("overview");
    const color = () =>
      page.locator("openapi-explorer main").evaluate((main) => getComputedStyle(main).color);
    const light = await color();
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(async () => [light, await color()]).toEqual(["rgb(20, 24, 31)", "rgb(231, 234, 238)"]);
  });
});
