import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { addOrganization } from "../support/people";
import { act, describeDashboard, dialogOf, eventually, follow, gone, rowOf, seen, seenInTime } from "./visit";

/** Returns an error response of the GraphQL API. */
const failing = (code: string, message: string, requestId: string) => ({
  status: 500,
  headers: { "content-type": "application/json", "x-request-id": requestId },
  body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
});

describeDashboard("a page of the dashboard", (dashboard) => {
  test("that is loading has placeholders, and nothing jumps", async () => {
    const page = await dashboard.visit("/api-keys");
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
    const moved = async () => {
      const there = await page.getByRole("row").nth(1).boundingBox();
      return [there?.y, Math.abs((there?.height ?? 0) - (waiting?.height ?? 0)) < 1];
    };
    await eventually(moved).toEqual([waiting?.y, true]);
  });

  test("that failed shows a message with the request ID and a button to retry", async () => {
    const page = await dashboard.visit("/api-keys");
    await seen(rowOf(page, "First key"));
    await page.route("**/graphql", (route) =>
      route.request().postData()?.includes("query ApiKeys")
        ? route.fulfill(failing("internal_error", "An internal error occurred.", "req-123"))
        : route.continue(),
    );
    await page.reload();
    await seen(
      page.getByRole("alert").getByText("Something went wrong on the server. The error has been logged."),
    );
    await seen(page.getByRole("alert").getByText("req-123"));
    await page.unroute("**/graphql");
    await page.getByRole("button", { name: "Try again" }).click();
    await seen(rowOf(page, "First key"));
  });

  test("keeps its content during an outage, shows a notice, and recovers automatically", async () => {
    const page = await dashboard.visit("/api-keys");
    const notice = page.getByText("may be out of date");
    const unreachable = "Can’t reach the server. Try again in a moment.";
    const unavailable = failing("unavailable", "The service is temporarily unavailable.", "req-503");
    await seen(rowOf(page, "First key"));
    for (const [answer, shown, message] of [
      [undefined, "Data may be out of date.", unreachable],
      // A proxy's.
      [{ status: 502, body: "" }, "Data may be out of date.", unreachable],
      [
        unavailable,
        "Some data can’t be reloaded",
        "The server is temporarily unavailable. Try again in a moment.",
      ],
    ] as const) {
      await page.route("**/graphql", (route) => (answer ? route.fulfill(answer) : route.abort()));
      await seenInTime(page.getByText(shown));
      await seen(rowOf(page, "First key"));
      await act(page, "First key", "Revoke");
      await dialogOf(page).getByRole("button", { name: "Revoke key" }).click();
      // Mutations are not retried automatically.
      await seen(dialogOf(page).getByText(message));
      await page.keyboard.press("Escape");
      await page.unroute("**/graphql");
      await seenInTime(rowOf(page, "First key"));
      await gone(notice);
    }
  });

  test("whose code does not load while the gateway is unreachable appears when it responds again", async () => {
    const page = await dashboard.visit("/api-keys");
    await seen(rowOf(page, "First key"));
    const context = page.context();
    await context.route("**/*", (route) => route.abort());
    await page.getByRole("link", { name: "Pets" }).click();
    await seen(page.getByText("Can’t reach the server. Data may be out of date. Retrying…"));
    await seen(page.getByRole("navigation", { name: "Dashboard" }));
    await context.unrouteAll();
    await seen(page.getByRole("button", { name: "Add pet" }).or(page.getByText("No pets yet")));
  });

  test("about one item keeps nothing for the page about another item of its kind", async () => {
    const pages = await readFile(join(__dirname, "../../src/dashboard/pages.tsx"), "utf8");
    const paths = [...pages.matchAll(/path: "([^"]+):\w+"/g)].map(([, path]) => path);
    expect(paths).toContain("/contacts/");
    const page = await dashboard.visit("/nowhere");
    const unknown = page.getByRole("heading", { name: "Page not found" });
    const heading = page.locator("main > header h1");
    for (const path of paths) {
      await follow(page, "/nowhere");
      await seen(unknown);
      await follow(page, `${path}018f0000-0000-7000-8000-000000000001`);
      await gone(unknown);
      await seen(heading);
      const shown = await heading.elementHandle();
      await follow(page, `${path}018f0000-0000-7000-8000-000000000002`);
      await shown?.waitForElementState("hidden");
    }
  });

  test("that cannot load the session shows a message and a button to retry", async () => {
    const page = await dashboard.visit();
    await seen(page.getByRole("heading", { name: "Overview" }));
    await page.route("**/graphql", (route) => route.abort());
    await page.reload();
    await seen(page.getByRole("heading", { name: "The dashboard can’t be loaded" }));
    await page.unroute("**/graphql");
    await page.getByRole("button", { name: "Try again" }).click();
    await seen(page.getByRole("heading", { name: "Overview" }));
  });

  test("creates and rotates only one key if a response is lost and the form is sent again", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "retries");
    const page = await dashboard.visit("/api-keys?create=yes", { as: manager });
    const dialog = dialogOf(page);
    const sendTwice = async (mutation: string, submit: string) => {
      let lost = false;
      await page.route("**/graphql", async (route) => {
        if (lost || !route.request().postData()?.includes(mutation)) return route.continue();
        lost = true;
        await route.fetch();
        return route.abort();
      });
      await dialog.getByRole("button", { name: submit }).click();
      await seen(dialog.getByText("Can’t reach the server."));
      await dialog.getByRole("button", { name: submit }).click();
      await seen(dialog.getByText("Copy this key now."));
      await page.unroute("**/graphql");
    };
    const activeKeys = async () => {
      const query = "{ apiKeys(state: active) { nodes { name } } }";
      return (await gateway.graphql(query, {}, { token: manager.token })).body.data.apiKeys.nodes;
    };
    await dialog.getByLabel("Name").fill("once");
    await sendTwice("createApiKey", "Create API key");
    expect(await activeKeys()).toEqual([{ name: "once" }]);

    await page.goto(`${gateway.url}/dashboard/api-keys`);
    await act(page, "once", "Rotate");
    await sendTwice("rotateApiKey", "Rotate key");
    expect(await activeKeys()).toEqual([{ name: "once" }, { name: "once" }]);
  });

  test("that does not exist shows a message", async () => {
    const page = await dashboard.visit("/nowhere");
    await seen(page.getByRole("heading", { name: "Page not found" }));
    await page.getByRole("link", { name: "go back to Overview" }).click();
    await seen(page.getByRole("heading", { name: "Overview" }));
  });
});
