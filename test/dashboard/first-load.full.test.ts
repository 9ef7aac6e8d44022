import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { addOrganization } from "../support/people";
import { waitUntil } from "../support/wait-until";
import { describeDashboard, eventually, gone, pagePaths, seen } from "./visit";

/** Limit for the compressed JavaScript of the first load (bytes). */
const MAX_SCRIPT_BYTES = 175_000;

/** Limit for the JavaScript that pages may load after they are shown, such as the document editor (bytes). */
const ALSO: Readonly<Record<string, number>> = { "/configuration": 150_000 };

/** Limit for everything that the first visit to Overview loads, as sent, without headers (bytes). */
const MAX_COLD_BYTES = 115_000;

/** Limit for everything that an open Overview loads in `IDLE_MS`, with headers (bytes). */
const MAX_IDLE_BYTES = 10_000;
const IDLE_MS = 30_000;

/** Counts the bytes of the responses that a page receives from now on, as sent, and its open requests. */
async function countBytes(page: Page): Promise<{ body: number; all: number; open: number }> {
  const session = await page.context().newCDPSession(page);
  const sum = { body: 0, all: 0, open: 0 };
  session.on("Network.requestWillBeSent", ({ redirectResponse }) => {
    if (redirectResponse === undefined) sum.open += 1;
  });
  session.on("Network.loadingFailed", () => {
    sum.open -= 1;
  });
  const headers = new Map<string, number>();
  session.on("Network.responseReceived", ({ requestId, response }) =>
    headers.set(requestId, response.encodedDataLength),
  );
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    sum.open -= 1;
    sum.all += encodedDataLength;
    sum.body += encodedDataLength - (headers.get(requestId) ?? 0);
  });
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  return sum;
}

describeDashboard("the first load of the dashboard", (dashboard) => {
  test("of each page is small, compressed and only from this server, and moves nothing that is shown", async () => {
    const context = (await dashboard.visit("/nowhere")).context();
    for (const path of await pagePaths(dashboard)) {
      const page = await context.newPage();
      const responses: Response[] = [];
      page.on("response", (response) => responses.push(response));
      await page.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(window, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.goto(`${dashboard.gateway.url}/dashboard${path}`);
      await seen(page.getByRole("navigation", { name: "Dashboard" }));
      await seen(page.getByRole("heading", { level: 1 }));
      await page.waitForLoadState("networkidle");
      const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
      // Good according to the Core Web Vitals.
      expect([path, shifts.reduce((sum, shift) => sum + shift, 0) < 0.1]).toEqual([path, true]);
      const answers = await Promise.all(
        responses.map(async (response) => ({
          url: response.url(),
          type: response.request().resourceType(),
          encoding: response.headers()["content-encoding"],
          size: gzipSync(await response.body()).length,
        })),
      );
      const scripts = answers.filter(({ type }) => type === "script");
      expect(scripts.length).toBeGreaterThan(0);
      expect(scripts.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(
        MAX_SCRIPT_BYTES + (ALSO[path] ?? 0),
      );
      for (const { encoding } of scripts) expect(encoding).toMatch(/^(br|gzip)$/);
      for (const { url } of answers) expect(new URL(url).origin).toBe(dashboard.gateway.url);
      await page.close();
    }
  });

  test("of Overview is at most 115 kB, and half a minute there loads at most 10 kB", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "counting");
    const page = await dashboard.visit("", { as: manager, clock: true });
    const steps = page.getByRole("region", { name: "Get started" });
    await steps.getByRole("button", { name: "Dismiss" }).click();
    await gone(steps);
    const bytes = await countBytes(page);
    await page.reload();
    await seen(page.getByRole("region", { name: "Requests by key" }));
    await page.waitForLoadState("networkidle");
    expect(bytes.body).toBeGreaterThan(50_000);
    expect(bytes.body).toBeLessThanOrEqual(MAX_COLD_BYTES);
    const loaded = bytes.all;
    for (let passed = 0; passed < IDLE_MS; passed += 1_000) {
      await page.clock.runFor(1_000);
      await waitUntil(() => bytes.open === 0);
    }
    expect(bytes.all).toBeGreaterThan(loaded);
    expect(bytes.all - loaded).toBeLessThanOrEqual(MAX_IDLE_BYTES);
  });

  test("loads no date and number formats before a page needs them", async () => {
    const page = await dashboard.visit("", { as: null });
    await seen(page.getByRole("heading", { name: "Sign in" }));
    await page.addInitScript(() => {
      const made: string[] = [];
      Object.assign(window, { made });
      for (const name of ["DateTimeFormat", "RelativeTimeFormat", "NumberFormat"] as const) {
        const Format = Intl[name];
        Object.assign(Intl, {
          [name]: class extends (Format as new (...args: unknown[]) => object) {
            constructor(...args: unknown[]) {
              super(...args);
              made.push(name);
            }
          },
        });
      }
    });
    const made = () => page.evaluate(() => (window as unknown as { made: string[] }).made);
    await page.reload();
    await seen(page.getByRole("heading", { name: "Sign in" }));
    await eventually(made).toEqual([]);
    const { email, password } = dashboard.gateway.ownerCredentials;
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("region", { name: "Requests by key" }));
    await page.getByRole("link", { name: "Audit log" }).click();
    await seen(page.getByRole("list", { name: "Entries" }).getByRole("listitem").first());
    await eventually(made).toEqual([]);
    await page.getByLabel("Date").selectOption("Custom range");
    await eventually(made).toContain("DateTimeFormat");
  });

  test("has no inline style or script, which the Content-Security-Policy would block", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    await seen(page.getByRole("dialog"));
    await eventually(() => page.locator("style, script:not([src])").count()).toBe(0);
  });
});
