import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { describeDashboard, dialogOf, rowOf, seen, seenInTime } from "./visit";

const SCREENSHOTS = join(__dirname, "screenshots");
/** Whether somebody will look at pictures of it all. */
const LOOKED_AT = Boolean(process.env.SCREENSHOTS || process.env.CI);
const SIZES = { wide: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } };

/**
 * What axe finds wrong with a page as it is shown, in short: all its rules, best practices too.
 * @param only the rules to look for, where the others cannot come out otherwise than before
 */
async function violations(page: Page, only?: string[]): Promise<string[]> {
  // The policy of the page lets in no other script; what a debugger evaluates is not asked.
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    (rules) =>
      (window as unknown as { axe: typeof axe }).axe.run({
        resultTypes: ["violations"],
        ...(rules && { runOnly: { type: "rule" as const, values: rules } }),
      }),
    only,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message}`),
  );
}

/** Whether the page is as wide as its window, so that nothing is to be found by scrolling sideways. */
const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

describeDashboard("for everybody,", (dashboard) => {
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
    people.looker = await addMember(gateway, { email: "looker@example.com" });
    const { manager } = await addOrganization(gateway, "empty");
    people.empty = manager;
    const closed = await addOrganization(gateway, "closed");
    await gateway.services.organizations.deactivate(await operator(gateway, "closed"));
    people.deactivated = closed.manager;
  });

  /** Every page and dialog: where it is, who looks, and what is to be seen before it is looked at. */
  const views: Record<string, { path: string; as?: string | null; open?: (page: Page) => Promise<void> }> = {
    "sign-in": { path: "", as: null, open: (page) => seen(page.getByLabel("Password")) },
    "sign-in refused": {
      path: "",
      as: null,
      open: async (page) => {
        await page.getByLabel("E-mail address").fill("nobody@example.com");
        await page.getByLabel("Password", { exact: true }).fill("wrong");
        await page.keyboard.press("Enter");
        await seen(page.getByRole("alert"));
      },
    },
    overview: { path: "", open: (page) => seenInTime(rowOf(page, "website").getByText("Who presents it")) },
    "overview 30 days": { path: "?period=30d", open: (page) => seenInTime(rowOf(page, "website")) },
    "overview of a new organization": {
      path: "",
      as: "empty",
      open: (page) => seen(page.getByText("0 of 4 done").or(page.getByText("1 of 4 done"))),
    },
    "overview for a looker": { path: "", as: "looker", open: (page) => seen(rowOf(page, "Support desk")) },
    "api-keys": { path: "/settings/api-keys", open: (page) => seen(rowOf(page, "billing")) },
    "api-keys empty": {
      path: "/settings/api-keys",
      as: "empty",
      open: (page) => seen(page.getByText("No API keys yet")),
    },
    "api-keys not permitted": { path: "/settings/api-keys", as: "looker" },
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
        await dialogOf(page).getByLabel("Name").fill(`looked at ${Math.random()}`);
        await page.keyboard.press("Enter");
        await seen(dialogOf(page).getByText("is shown this once"));
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
        await seen(dialogOf(page).getByLabel("The old key still works"));
      },
    },
    "api-keys revoke": {
      path: "/settings/api-keys",
      open: async (page) => {
        await page.getByRole("button", { name: "Revoke billing" }).click();
        await seen(dialogOf(page).getByText("This cannot be undone."));
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
        await page.getByLabel("When").selectOption("From … to …");
        await seen(page.getByLabel("From"));
      },
    },
    organization: { path: "/organization", open: (page) => seen(rowOf(page, "looker@example.com")) },
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

  test.each(Object.entries(views))(
    "%s has nothing that axe finds wrong, light or dark, and fits a phone",
    async (name, { path, as, open }) => {
      const who = as ? people[as] : null;
      const page = await dashboard.visit(path, {
        ...(as !== undefined && { as: who }),
        viewport: SIZES.wide,
      });
      await seen(page.locator("h1"));
      await open?.(page);
      const fullPage = (await dialogOf(page).count()) === 0;
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const [size, viewport] of Object.entries(SIZES)) {
          await page.setViewportSize(viewport);
          const file = `${name.replaceAll(" ", "-")}.${colorScheme}.${size}.png`;
          if (LOOKED_AT) await page.screenshot({ path: join(SCREENSHOTS, file), fullPage });
          expect(await fits(page)).toBe(true);
          if (colorScheme === "light") expect(await violations(page)).toEqual([]);
        }
        if (colorScheme === "dark")
          expect(await violations(page, ["color-contrast", "link-in-text-block"])).toEqual([]);
      }
    },
  );

  test("the choice of light or dark stays, and the system's is followed until there is one", async () => {
    const page = await dashboard.visit("", { colorScheme: "dark" });
    const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await seen(page.getByRole("heading", { name: "Overview" }));
    expect(await scheme()).toBe("dark");
    await page.getByRole("group", { name: "Colours" }).getByText("Light").click({ force: true });
    expect(await scheme()).toBe("light");
    await page.reload();
    await seen(page.getByRole("heading", { name: "Overview" }));
    expect(await scheme()).toBe("light");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("group", { name: "Colours" }).getByText("As the system").click({ force: true });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme === "dark");
  });

  test("nothing moves for those who asked for that", async () => {
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

  test("a phone has the pages behind a button, which says whether they are shown", async () => {
    const page = await dashboard.visit("", { viewport: SIZES.phone });
    const menu = page.getByRole("button", { name: "Menu" });
    await seen(menu);
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    expect(await page.getByRole("link", { name: "Audit log" }).isVisible()).toBe(false);
    await menu.click();
    expect(await menu.getAttribute("aria-expanded")).toBe("true");
    if (LOOKED_AT) await page.screenshot({ path: join(SCREENSHOTS, "menu.light.phone.png") });
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
