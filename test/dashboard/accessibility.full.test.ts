import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { COLOR_RULES, fits, ownPart, showIn, violations } from "./axe";
import { hasFocus } from "./focus";
import { type Filled, fill, VIEWS } from "./views";
import { act, describeDashboard, dialogOf, eventually, follow, gone, pagePaths, seen } from "./visit";

const SCREENSHOTS = join(__dirname, "screenshots");
const TAKE_SCREENSHOTS = Boolean(process.env.SCREENSHOTS);
const SIZES = { wide: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } };

describeDashboard("accessibility:", (dashboard) => {
  let filled: Filled;
  beforeAll(async () => {
    await mkdir(SCREENSHOTS, { recursive: true });
    filled = await fill(dashboard.gateway);
  });

  /**
   * Checks that a page, or the dialog in front of it, fits both sizes and passes all rules in light mode and the color
   * rules in dark mode.
   */
  const check = async (page: Page, name: string) => {
    const hasDialog = (await dialogOf(page).count()) > 0;
    const part = await ownPart(page);
    const passes = (only?: string[]) =>
      eventually(async () => [name, await violations(page, { ...part, ...(only && { only }) })]).toEqual([
        name,
        [],
      ]);
    const show = async (colorScheme: "light" | "dark", size: keyof typeof SIZES) => {
      await showIn(page, colorScheme);
      await page.setViewportSize(SIZES[size]);
      const file = `${name.replaceAll(/\W+/g, "-")}.${colorScheme}.${size}.png`;
      if (TAKE_SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: !hasDialog });
      await eventually(async () => [name, size, await fits(page)]).toEqual([name, size, true]);
    };
    await show("light", "wide");
    await passes();
    await show("light", "phone");
    await show("dark", "phone");
    await passes(COLOR_RULES);
    if (TAKE_SCREENSHOTS) await show("dark", "wide");
  };

  // Another suite checks these pages with axe, at every width.
  if (TAKE_SCREENSHOTS)
    test("every page of the navigation has its screenshots", async () => {
      const page = await dashboard.visit();
      for (const path of await pagePaths(dashboard)) {
        await page.setViewportSize(SIZES.wide);
        await page.goto(`${dashboard.gateway.url}/dashboard${path}`);
        await seen(page.getByRole("heading", { level: 1 }));
        await gone(page.locator(".mantine-Skeleton-root"));
        await check(page, `page${path}`);
      }
    });

  const people = [...new Set(Object.values(VIEWS).map(({ as }) => as))];
  test.each(people.map((as) => [as === undefined ? "owner" : `${as}`, as] as const))(
    "each view passes axe, light and dark, and fits a phone (%s)",
    async (_, as) => {
      const who = as ? filled.people[as] : as;
      const shared = await dashboard.visit("/nowhere", as === undefined ? {} : { as: who });
      for (const [name, { path: pathOf, open, alone, ...view }] of Object.entries(VIEWS)) {
        if (view.as !== as || (view.isPlainDialog && !TAKE_SCREENSHOTS)) continue;
        const path = typeof pathOf === "string" ? pathOf : pathOf(filled.inbox);
        const page = alone ? await shared.context().newPage() : shared;
        await page.emulateMedia({ colorScheme: "light" });
        await page.setViewportSize(SIZES.wide);
        if (alone) await page.goto(`${dashboard.gateway.url}/dashboard${path}`);
        else {
          // Visiting another page in between closes the last view's dialogs.
          await follow(page, "/nowhere");
          await follow(page, path);
        }
        await seen(page.getByRole("heading", { level: 1 }));
        await open?.(page, dashboard.gateway);
        await check(page, name);
        if (alone) await page.close();
      }
    },
    360_000,
  );

  test("the chosen theme stays; without one, the system's applies", async () => {
    const page = await dashboard.visit("/settings/profile", { colorScheme: "dark" });
    const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await seen(page.getByRole("heading", { name: "Profile" }));
    await eventually(scheme).toBe("dark");
    await page.getByRole("radiogroup", { name: "Theme" }).getByText("Light").click({ force: true });
    await eventually(scheme).toBe("light");
    await page.reload();
    await seen(page.getByRole("heading", { name: "Profile" }));
    await eventually(scheme).toBe("light");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("radiogroup", { name: "Theme" }).getByText("System").click({ force: true });
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(scheme).toBe("dark");
  });

  test("nothing is animated with reduced motion", async () => {
    const page = await dashboard.visit("/api-keys", { reducedMotion: "reduce" });
    await act(page, "billing", "Revoke");
    await seen(dialogOf(page));
    const longest = await page.evaluate(() =>
      Math.max(
        ...document.getAnimations().map(({ effect }) => Number(effect?.getComputedTiming().duration)),
        0,
      ),
    );
    expect(longest).toBeLessThan(1);
  });

  test("no color is animated with reduced motion when the color scheme changes", async () => {
    const page = await dashboard.visit("/api-keys", { reducedMotion: "reduce", colorScheme: "light" });
    await seen(page.getByRole("heading", { level: 1 }));
    const transitions = await page.evaluate(() => {
      document.documentElement.dataset.mantineColorScheme = "dark";
      // A loading placeholder may be animated, for 0.01 ms.
      return document.getAnimations().filter((animation) => animation instanceof CSSTransition).length;
    });
    expect(transitions).toBe(0);
  });

  test("a phone has the navigation behind a button, which reports whether it is open", async () => {
    const page = await dashboard.visit("", { viewport: SIZES.phone });
    const menu = page.getByRole("button", { name: "Menu" });
    await seen(menu);
    await eventually(() => menu.getAttribute("aria-expanded")).toBe("false");
    await eventually(() => page.getByRole("link", { name: "Audit log" }).isVisible()).toBe(false);
    await menu.click();
    await eventually(() => menu.getAttribute("aria-expanded")).toBe("true");
    if (TAKE_SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, "menu.light.phone.png") });
    await eventually(() => violations(page)).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await eventually(() => menu.getAttribute("aria-expanded")).toBe("false");
    await hasFocus(menu);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Audit log" }).click();
    await seen(page.getByRole("heading", { name: "Audit log" }));
    await eventually(() => menu.getAttribute("aria-expanded")).toBe("false");
  });
});
