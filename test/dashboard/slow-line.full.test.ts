import type { Route } from "playwright-core";
import { describeDashboard, eventually, gone, pagePaths, seen } from "./visit";

const DARK = "rgb(16, 19, 23)";

describeDashboard("on a slow line, the dashboard", (dashboard) => {
  test("shows the outline and title of each page before its program has loaded", async () => {
    const page = await dashboard.visit("/nowhere");
    await page.route(/assets\/(?!boot-).*\.js$/, () => undefined);
    for (const path of await pagePaths(dashboard)) {
      await page.goto(`${dashboard.gateway.url}/dashboard${path}`, { waitUntil: "commit" });
      await seen(page.locator("h1", { hasText: TITLES[path] ?? "no title" }));
    }
  });

  test("is dark from the first paint if dark mode was chosen", async () => {
    const first = await dashboard.visit("/settings/profile", { colorScheme: "light" });
    await first.getByRole("radiogroup", { name: "Theme" }).getByText("Dark").click();
    const context = first.context();
    await context.route(/assets\/(?!boot-).*\.js$/, () => undefined);
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${dashboard.gateway.url}/dashboard`, { waitUntil: "commit" });
    await seen(page.locator("h1"));
    await eventually(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(DARK);
  });
});

const TITLES: Record<string, string> = {
  "/": "Overview",
  "/api-keys": "API keys",
  "/agents": "Agents",
  "/conversations": "Conversations",
  "/to-review": "To review",
  "/contacts": "Contacts",
  "/messages": "Messages",
  "/decisions": "Decisions",
  "/configuration": "Configuration",
  "/lines": "Lines",
  "/webhooks": "Webhooks",
  "/pets": "Pets",
  "/settings/audit-log": "Audit log",
  "/settings/members": "Members",
  "/settings/organization": "Organization",
  "/settings/profile": "Profile",
};

describeDashboard("without the code of a page, the dashboard", (dashboard) => {
  const CODE = /assets\/audit-log-.*\.js$/;

  test("is reloaded once, as after an upgrade of the server, and reports it if that does not help", async () => {
    const page = await dashboard.visit();
    await seen(page.getByRole("heading", { name: "Overview" }));
    let loads = 0;
    page.on("load", () => {
      loads += 1;
    });
    await page.route(CODE, (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Audit log" }).click();
    await seen(page.getByRole("alert").getByText("Something went wrong on this page."));
    await eventually(() => loads).toBe(1);
    await page.goBack();
    await seen(page.getByRole("heading", { name: "Overview" }));
    await page.goForward();
    await seen(page.getByRole("alert"));
    await page.unroute(CODE);
    await page.getByRole("button", { name: "Try again" }).click();
    await seen(page.getByRole("heading", { name: "Audit log" }));
  });

  test("stays on the current page if the page with missing code has been left", async () => {
    const page = await dashboard.visit();
    await seen(page.getByRole("heading", { name: "Overview" }));
    let loads = 0;
    page.on("load", () => {
      loads += 1;
    });
    const asked = page.waitForRequest((request) => request.method() === "HEAD");
    await page.route("**", (route) => route.abort());
    await page.getByRole("link", { name: "Audit log" }).click();
    await asked;
    await page.goBack();
    await page.unroute("**");
    // Another page, which is loaded only now.
    await page.getByRole("link", { name: "Pets" }).click();
    await seen(page.getByRole("heading", { name: "Pets" }));
    await page.getByRole("link", { name: "Audit log" }).click();
    await seen(page.getByRole("list", { name: "Entries" }));
    expect(loads).toBe(0);
  });

  test("shows a message in the corner if the code of a dialog or menu is missing", async () => {
    const page = await dashboard.visit("/api-keys");
    await seen(page.getByRole("row", { name: /First key/ }));
    await page.evaluate((key) => sessionStorage.setItem(key, String(Date.now())), "reloaded-for-code");
    const codes = /assets\/(open-menu|create-key)-.*\.js$/;
    await page.route(codes, (route) => route.fulfill({ status: 404 }));
    const missing = page.getByRole("status").getByText("can’t be loaded");
    const menu = page.getByRole("row", { name: /First key/ }).getByRole("button", { name: /Actions/ });
    await menu.click();
    await seen(missing);
    await seen(menu);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await gone(missing);
    await page.getByRole("button", { name: "Create API key" }).click();
    await seen(missing);
    await seen(page.getByRole("row", { name: /First key/ }));
  });

  test("opens no menu that loads after the focus has moved elsewhere", async () => {
    const page = await dashboard.visit("/api-keys");
    await seen(page.getByRole("row", { name: /First key/ }));
    const asked = new Promise<Route>((resolve) => {
      void page.route(/assets\/open-menu-.*\.js$/, resolve);
    });
    const arrived = page.waitForResponse(/assets\/open-menu-.*\.js$/);
    await page
      .getByRole("row", { name: /First key/ })
      .getByRole("button", { name: /Actions/ })
      .click();
    const search = page.getByRole("searchbox");
    await search.fill("First");
    await (await asked).continue();
    await (await arrived).finished();
    await search.pressSequentially(" key");
    await seen(page.getByRole("row", { name: /First key/ }));
    await eventually(() => search.inputValue()).toBe("First key");
    await eventually(() => page.getByRole("menuitem").count()).toBe(0);
  });

  test("shows a message if its program does not load at all", async () => {
    const context = (await dashboard.visit("/nowhere")).context();
    await context.route(/assets\/react-.*\.js$/, (route) => route.abort());
    const page = await context.newPage();
    await page.goto(`${dashboard.gateway.url}/dashboard/settings/audit-log`);
    await seen(page.getByRole("heading", { name: /can’t be loaded\. Reload the page/ }));
  });

  test("stays as it is while the server cannot be reached", async () => {
    const page = await dashboard.visit();
    await seen(page.getByRole("heading", { name: "Overview" }));
    await page.route("**", (route) => route.abort());
    await page.getByRole("link", { name: "Audit log" }).hover();
    await seen(page.getByText("Can’t reach the server.").first());
    await seen(page.getByRole("heading", { name: "Overview" }));
    await page.unroute("**");
  });
});
