import type { Request } from "playwright-core";
import { describeDashboard, seen } from "./visit";

describeDashboard("GraphiQL", (dashboard) => {
  test("runs queries with the key in its headers editor, without internet access or cookies", async () => {
    const { gateway } = dashboard;
    const page = await dashboard.visit("/settings/organization");
    const requests: Request[] = [];
    page.on("request", (request) => requests.push(request));
    await page.goto(`${gateway.url}/graphiql`);
    // The schema loads without a key.
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await seen(page.getByRole("link", { name: "Mutation" }).or(page.getByText("Mutation", { exact: true })));
    const header = page.locator(".graphiql-editor-tool .monaco-editor").filter({ hasText: "API_KEY" });
    await seen(header);
    await header.click();
    await page.keyboard.press("ControlOrMeta+A");
    // The editor closes the string and the object.
    await page.keyboard.insertText(`{"Authorization": "Bearer ${gateway.key}`);
    await page.getByRole("button", { name: /^Execute query/ }).click();
    await page.getByRole("menuitem", { name: "WhoAmIAndWhatIsThere" }).click();
    await seen(page.locator(".result-window").getByText("first-agent"));
    const requested = await Promise.all(
      requests.map(async (request) => ({ url: request.url(), cookie: (await request.allHeaders()).cookie })),
    );
    expect(requested.filter(({ url }) => !/^(data|blob):/.test(url) && !url.startsWith(gateway.url))).toEqual(
      [],
    );
    expect(requested.filter(({ url, cookie }) => url.endsWith("/graphql") && cookie !== undefined)).toEqual(
      [],
    );
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain(gateway.key.slice(-28));
  });

  test("is what /graphql offers to a browser that cannot reach Apollo Sandbox", async () => {
    const page = await dashboard.visit("", { as: null });
    await page.route(
      (url) => url.host !== new URL(dashboard.gateway.url).host,
      (route) => route.abort(),
    );
    // The page itself reports the missing script as an error.
    await page.addInitScript(() => Object.assign(window, { EmbeddedSandbox: class {} }));
    await page.goto(`${dashboard.gateway.url}/graphql`);
    await seen(page.getByText("Apollo Sandbox cannot be loaded"));
    await page.getByRole("link", { name: "GraphiQL" }).click();
    await seen(page.getByRole("button", { name: /^Execute query/ }));
  });
});
