import { addOrganization } from "../support/people";
import { describeDashboard, dialogOf, gone, rowOf, seen, turnBackTo } from "./visit";

/** An answer of the gateway to what it is asked for. */
const failing = (code: string, message: string, requestId: string) => ({
  status: 500,
  headers: { "content-type": "application/json", "x-request-id": requestId },
  body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
});

describeDashboard("a page of the dashboard", (dashboard) => {
  test("that waits for an answer has the outline of what comes, and nothing jumps", async () => {
    const page = await dashboard.visit("/settings/api-keys");
    await seen(rowOf(page, "First key"));
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      void page.route("**/graphql", async (route) => {
        if (!route.request().postData()?.includes("query ApiKeys")) return route.continue();
        resolve();
        await new Promise<void>((go) => {
          answer = go;
        });
        return route.continue();
      });
    });
    await page.reload();
    await asked;
    await seen(page.getByRole("heading", { name: "API keys" }));
    const waiting = await page.getByRole("row").nth(1).boundingBox();
    expect(waiting?.height).toBeGreaterThan(50);
    answer();
    await seen(rowOf(page, "First key"));
    const there = await page.getByRole("row").nth(1).boundingBox();
    expect(there?.y).toBe(waiting?.y);
    expect(Math.abs((there?.height ?? 0) - (waiting?.height ?? 0))).toBeLessThan(1);
  });

  test.each(["", "/settings/api-keys", "/audit-log", "/organization"])(
    "at /dashboard%s moves nothing while it loads",
    async (path) => {
      const page = await dashboard.visit(path);
      await page.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(window, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.reload();
      await seen(page.locator("h1"));
      await page.waitForLoadState("networkidle");
      const total = await page.evaluate(() =>
        (window as unknown as { shifts: number[] }).shifts.reduce((sum, shift) => sum + shift, 0),
      );
      expect(total).toBeLessThan(0.05);
    },
  );

  test("that failed says so in words, with the request id to quote, and can be tried again", async () => {
    const page = await dashboard.visit("/settings/api-keys");
    await seen(rowOf(page, "First key"));
    await page.route("**/graphql", (route) =>
      route.request().postData()?.includes("query ApiKeys")
        ? route.fulfill(failing("internal_error", "Something went wrong on the server.", "req-123"))
        : route.continue(),
    );
    await page.reload();
    await seen(page.getByRole("alert").getByText("Something went wrong on the gateway. It has been logged."));
    await seen(page.getByRole("alert").getByText("req-123"));
    await page.unroute("**/graphql");
    await page.getByRole("button", { name: "Try again" }).click();
    await seen(rowOf(page, "First key"));
  });

  test("keeps what it shows while the gateway does not answer, says so, and goes on by itself", async () => {
    const page = await dashboard.visit("/settings/api-keys");
    await seen(rowOf(page, "First key"));
    await page.route("**/graphql", (route) => route.abort());
    await turnBackTo(page);
    await seen(page.getByText("The gateway does not answer. What you see may be out of date"));
    await seen(rowOf(page, "First key"));
    await page.getByRole("button", { name: "Revoke First key" }).click();
    await dialogOf(page).getByRole("button", { name: "Revoke the key" }).click();
    // What somebody pressed a button for, the page does not do again by itself.
    await seen(dialogOf(page).getByText("The gateway does not answer. Check your connection and try again."));
    await page.keyboard.press("Escape");
    await page.unroute("**/graphql");
    await gone(page.getByText("What you see may be out of date"));
  });

  test("that cannot even ask who is signed in says so, and can be tried again", async () => {
    const page = await dashboard.visit();
    await seen(page.getByRole("heading", { name: "Overview" }));
    await page.route("**/graphql", (route) => route.abort());
    await page.reload();
    await seen(page.getByRole("heading", { name: "The dashboard cannot be shown" }));
    await page.unroute("**/graphql");
    await page.getByRole("button", { name: "Try again" }).click();
    await seen(page.getByRole("heading", { name: "Overview" }));
  });

  test("sends the same request again when the answer to a mint was lost, and one key is left", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "retries");
    const page = await dashboard.visit("/settings/api-keys?create=yes", { as: manager });
    let lost = false;
    await page.route("**/graphql", async (route) => {
      if (lost || !route.request().postData()?.includes("createApiKey")) return route.continue();
      lost = true;
      await route.fetch();
      return route.abort();
    });
    await dialogOf(page).getByLabel("Name").fill("once");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("The gateway does not answer."));
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("is shown this once"));
    const keys = await gateway.graphql(
      "{ apiKeys(state: active) { nodes { name } } }",
      {},
      { token: manager.token },
    );
    expect(keys.body.data.apiKeys.nodes).toEqual([{ name: "once" }]);
  });

  test("that does not exist says so", async () => {
    const page = await dashboard.visit("/nowhere");
    await seen(page.getByRole("heading", { name: "There is no such page" }));
    await page.getByRole("link", { name: "Go to the overview" }).click();
    await seen(page.getByRole("heading", { name: "Overview" }));
  });
});
