import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { COLOR_RULES, fits, violations } from "./axe";
import { describeDashboard, dialogOf, gone, pagePaths, rowOf, seen, seenInTime } from "./visit";

const SCREENSHOTS = join(__dirname, "screenshots");
/** Whether to take screenshots. */
const TAKE_SCREENSHOTS = Boolean(process.env.SCREENSHOTS || process.env.CI);
const SIZES = { wide: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } };

describeDashboard("accessibility:", (dashboard) => {
  const people: Record<string, { email: string; password: string }> = {};
  beforeAll(async () => {
    await mkdir(SCREENSHOTS, { recursive: true });
    const { gateway } = dashboard;
    const context = await operator(gateway);
    await gateway.services.agents.create(context, { slug: "support", name: "Support desk" });
    for (const name of ["billing", "website", "nightly report of everything that happened at night"]) {
      const { id, secret } = await mint(gateway, { name });
      const call = () => gateway.rest("GET", "/agent/whoami", { token: secret });
      for (let i = 0; i < name.length; i++) await call();
      if (name === "website") await gateway.services.keys.revoke(context, id);
      await call();
    }
    const { id } = await mint(gateway, { agent: "support", name: "crm" });
    await gateway.services.keys.rotate(context, { id, graceSeconds: 3600 });
    await mint(gateway, { name: "temporary", expiresAt: new Date(Date.now() + 86_400_000) });
    people.viewer = await addMember(gateway, { email: "viewer@example.com" });
    const { manager } = await addOrganization(gateway, "empty");
    people.empty = manager;
    const closed = await addOrganization(gateway, "closed");
    await gateway.services.organizations.deactivate(await operator(gateway, "closed"));
    people.deactivated = closed.manager;
  });

  /** Dialogs and states of pages: the path, the visitor, and what to do before the check. */
  const views: Record<string, { path: string; as?: string | null; open?: (page: Page) => Promise<void> }> = {
    "sign-in": { path: "", as: null, open: (page) => seen(page.getByLabel("Password")) },
    "sign-in rejected": {
      path: "",
      as: null,
      open: async (page) => {
        await page.getByLabel("Email").fill("unknown@example.com");
        await page.getByLabel("Password", { exact: true }).fill("wrong");
        await page.keyboard.press("Enter");
        await seen(page.getByRole("alert"));
      },
    },
    "overview 30 days": {
      path: "?period=30d",
      open: (page) => seenInTime(rowOf(page, "website").getByText("View requests")),
    },
    "overview of a new organization": {
      path: "",
      as: "empty",
      open: (page) => seen(page.getByText("0 of 4 done").or(page.getByText("1 of 4 done"))),
    },
    "overview for a viewer": { path: "", as: "viewer", open: (page) => seen(rowOf(page, "Support desk")) },
    "api-keys empty": {
      path: "/settings/api-keys",
      as: "empty",
      open: (page) => seen(page.getByText("No API keys yet")),
    },
    "api-keys not permitted": { path: "/settings/api-keys", as: "viewer" },
    "api-keys deactivated": {
      path: "/settings/api-keys",
      as: "deactivated",
      open: (page) => seen(page.getByRole("note")),
    },
    "api-keys create": {
      path: "/settings/api-keys?create=yes",
      open: (page) => seen(dialogOf(page).getByLabel("Name")),
    },
    "api-keys secret": {
      path: "/settings/api-keys?create=yes",
      open: async (page) => {
        await dialogOf(page).getByLabel("Name").fill(`shown ${Math.random()}`);
        await page.keyboard.press("Enter");
        await seen(dialogOf(page).getByText("Copy this key now."));
      },
    },
    "api-keys secret uncopied": {
      path: "/settings/api-keys?create=yes",
      open: async (page) => {
        await dialogOf(page).getByLabel("Name").fill(`not copied ${Math.random()}`);
        await page.keyboard.press("Enter");
        await dialogOf(page).getByRole("button", { name: "Done" }).click();
        await seen(dialogOf(page).getByRole("alert"));
      },
    },
    "api-keys rotate": {
      path: "/settings/api-keys",
      open: async (page) => {
        await page.getByRole("button", { name: "Rotate billing" }).click();
        await seen(dialogOf(page).getByLabel("Keep the old key working for"));
      },
    },
    "api-keys revoke": {
      path: "/settings/api-keys",
      open: async (page) => {
        await page.getByRole("button", { name: "Revoke billing" }).click();
        await seen(dialogOf(page).getByText("This can’t be undone."));
      },
    },
    "api-keys rename": {
      path: "/settings/api-keys",
      open: async (page) => {
        await page.getByRole("button", { name: "Rename billing" }).click();
        await seen(dialogOf(page).getByLabel("New name"));
      },
    },
    "audit-log": {
      path: "/audit-log",
      open: async (page) => {
        await page.getByText("Details").first().click();
        await page.getByLabel("Date").selectOption("Custom range");
        await seen(page.getByLabel("From"));
      },
    },
    "organization deactivate": {
      path: "/organization",
      open: async (page) => {
        await page.getByRole("button", { name: "Deactivate…" }).click();
        await seen(dialogOf(page).getByLabel("Type first to confirm"));
      },
    },
    "no page": { path: "/nowhere" },
    "no gateway": {
      path: "",
      open: async (page) => {
        await page.route("**/graphql", (route) => route.abort());
        await page.reload();
        await seen(page.getByRole("alert"));
      },
    },
  };

  /** Checks a page in light and dark, on a wide screen and on a phone. */
  const check = async (page: Page, name: string) => {
    const fullPage = (await dialogOf(page).count()) === 0;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: "attached" });
      // A color may still be on its way from one scheme to the other.
      await page.waitForFunction(() =>
        document.getAnimations().every(({ playState }) => playState !== "running"),
      );
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        const file = `${name.replaceAll(/\W+/g, "-")}.${colorScheme}.${size}.png`;
        if (TAKE_SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, file), fullPage });
        expect([name, size, await fits(page)]).toEqual([name, size, true]);
        if (colorScheme === "light") expect([name, await violations(page)]).toEqual([name, []]);
      }
      if (colorScheme === "dark") expect([name, await violations(page, COLOR_RULES)]).toEqual([name, []]);
    }
  };

  test("every page of the navigation passes axe, light and dark, and fits a phone", async () => {
    const paths = await pagePaths(dashboard);
    expect(paths).toContain("/settings/api-keys");
    const page = await dashboard.visit();
    for (const path of paths) {
      await page.setViewportSize(SIZES.wide);
      await page.goto(`${dashboard.gateway.url}/dashboard${path}`);
      await seen(page.locator("h1"));
      await gone(page.locator(".mantine-Skeleton-root"));
      await check(page, `page${path}`);
    }
  }, 180_000);

  test.each(Object.entries(views))(
    "%s passes axe, light and dark, and fits a phone",
    async (name, { path, as, open }) => {
      const who = as ? people[as] : null;
      const page = await dashboard.visit(path, {
        ...(as !== undefined && { as: who }),
        viewport: SIZES.wide,
      });
      await seen(page.locator("h1"));
      await open?.(page);
      await check(page, name);
    },
  );

  test("the chosen theme stays; without one, the system's applies", async () => {
    const page = await dashboard.visit("", { colorScheme: "dark" });
    const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await seen(page.getByRole("heading", { name: "Overview" }));
    expect(await scheme()).toBe("dark");
    await page.getByRole("radiogroup", { name: "Theme" }).getByText("Light").click({ force: true });
    expect(await scheme()).toBe("light");
    await page.reload();
    await seen(page.getByRole("heading", { name: "Overview" }));
    expect(await scheme()).toBe("light");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("radiogroup", { name: "Theme" }).getByText("System").click({ force: true });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme === "dark");
  });

  test("nothing is animated with reduced motion", async () => {
    const page = await dashboard.visit("/settings/api-keys", { reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Revoke billing" }).click();
    await seen(dialogOf(page));
    const longest = await page.evaluate(() =>
      Math.max(
        ...document.getAnimations().map(({ effect }) => Number(effect?.getComputedTiming().duration)),
        0,
      ),
    );
    expect(longest).toBeLessThan(1);
  });

  test("a phone has the navigation behind a button, which reports whether it is open", async () => {
    const page = await dashboard.visit("", { viewport: SIZES.phone });
    const menu = page.getByRole("button", { name: "Menu" });
    await seen(menu);
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    expect(await page.getByRole("link", { name: "Audit log" }).isVisible()).toBe(false);
    await menu.click();
    expect(await menu.getAttribute("aria-expanded")).toBe("true");
    if (TAKE_SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, "menu.light.phone.png") });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    expect(await menu.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Audit log" }).click();
    await seen(page.getByRole("heading", { name: "Audit log" }));
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
  });
});
