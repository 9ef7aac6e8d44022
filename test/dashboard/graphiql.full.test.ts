import type { Page, Request } from "playwright-core";
import { COLOR_RULES, violations } from "./axe";
import { describeDashboard, eventually, seen } from "./visit";

describeDashboard("GraphiQL", (dashboard) => {
  const run = (page: Page) => page.getByRole("button", { name: /^Execute query/ }).click();
  const answers = (page: Page, text: string) =>
    eventually(() => page.locator(".result-window").innerText()).toContain(text);

  /** Opens the page and records its requests; only completed ones are certain to have all headers. */
  async function open(as?: null) {
    const page = await dashboard.visit("/settings/organization", as === null ? { as } : {});
    const urls: string[] = [];
    const answered: Request[] = [];
    page.on("request", (request) => urls.push(request.url()));
    page.on("requestfinished", (request) => answered.push(request));
    await page.goto(`${dashboard.gateway.url}/graphiql`);
    const headers = () => Promise.all(answered.map((request) => request.allHeaders()));
    return { page, urls, headers };
  }

  const isElsewhere = (url: string) => !/^(data|blob):/.test(url) && !url.startsWith(dashboard.gateway.url);

  test("runs each example with the key of its headers editor, without internet access", async () => {
    const { gateway } = dashboard;
    const { page, urls } = await open(null);
    // The schema loads without a key.
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await seen(page.getByRole("link", { name: "Mutation" }).or(page.getByText("Mutation", { exact: true })));
    const header = page.locator(".graphiql-editor-tool .monaco-editor").filter({ hasText: "API_KEY" });
    await seen(header);
    await header.click();
    await page.keyboard.press("ControlOrMeta+A");
    // The editor closes the string and the object.
    await page.keyboard.insertText(`{"Authorization": "Bearer ${gateway.key}`);
    await run(page);
    await answers(page, "first-agent");
    await page.getByRole("button", { name: "QueueMessage" }).click();
    await run(page);
    await answers(page, "queued");
    expect(urls.filter(isElsewhere)).toEqual([]);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain(gateway.key.slice(-28));
  });

  test("acts for a signed-in member without a key, never for both, and leads back to the dashboard", async () => {
    const { gateway } = dashboard;
    const { page, urls, headers } = await open();
    await seen(page.getByText(`Signed in as ${gateway.ownerCredentials.email}`));
    await run(page);
    await answers(page, gateway.ownerCredentials.email);
    await page.getByRole("button", { name: "Headers" }).click();
    await page.locator(".graphiql-editor-tool .monaco-editor:visible").click();
    await page.keyboard.insertText(`{"Authorization": "Bearer ${gateway.key}`);
    await run(page);
    await answers(page, "forbidden");
    expect(urls.filter(isElsewhere)).toEqual([]);
    await eventually(async () => (await headers()).filter(({ authorization }) => authorization)).not.toEqual(
      [],
    );
    const sent = await headers();
    expect(sent.filter(({ cookie, authorization }) => cookie && authorization)).toEqual([]);
    await page.getByRole("link", { name: "Dashboard" }).click();
    await page.waitForURL("**/dashboard");
  });

  test("passes axe, light and dark", async () => {
    const { page } = await open();
    await seen(page.getByText("Signed in as"));
    await run(page);
    await answers(page, "viewer");
    await eventually(() => violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(() => violations(page, { only: COLOR_RULES })).toEqual([]);
  });

  test("is where /graphql leads a browser that cannot reach Apollo Sandbox", async () => {
    const page = await dashboard.visit("", { as: null });
    await page.route(
      (url) => url.host !== new URL(dashboard.gateway.url).host,
      (route) => route.abort(),
    );
    await page.goto(`${dashboard.gateway.url}/graphql`);
    await page.waitForURL("**/graphiql");
    await seen(page.getByRole("button", { name: /^Execute query/ }));
  });
});
