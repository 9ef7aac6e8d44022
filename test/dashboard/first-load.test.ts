import { gzipSync } from "node:zlib";
import { describeDashboard, pagePaths, seen } from "./visit";

/** Limit of compressed JavaScript for the first load (bytes). */
const MAX_SCRIPT_BYTES = 200_000;

describeDashboard("the first load of the dashboard", (dashboard) => {
  test("of each page is small, compressed, and from this server alone", async () => {
    const context = (await dashboard.visit("/nowhere")).context();
    for (const path of await pagePaths(dashboard)) {
      const page = await context.newPage();
      const answers: { url: string; type: string; encoding: string | undefined; size: number }[] = [];
      const bodies: Promise<void>[] = [];
      page.on("response", (answer) => {
        bodies.push(
          answer.body().then((body) => {
            answers.push({
              url: answer.url(),
              type: answer.request().resourceType(),
              encoding: answer.headers()["content-encoding"],
              size: gzipSync(body).length,
            });
          }),
        );
      });
      await page.goto(`${dashboard.gateway.url}/dashboard${path}`);
      await seen(page.getByRole("navigation", { name: "Dashboard" }));
      await page.waitForLoadState("networkidle");
      await Promise.all(bodies);
      const scripts = answers.filter(({ type }) => type === "script");
      expect(scripts.length).toBeGreaterThan(0);
      expect(scripts.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
      for (const { encoding } of scripts) expect(encoding).toMatch(/^(br|gzip)$/);
      for (const { url } of answers) expect(new URL(url).origin).toBe(dashboard.gateway.url);
    }
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
    expect(await made()).toEqual([]);
    const { email, password } = dashboard.gateway.ownerCredentials;
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("region", { name: "Requests by key" }));
    expect(await made()).toContain("NumberFormat");
  });

  test("has no inline style or script, which the Content-Security-Policy would block", async () => {
    const page = await dashboard.visit("/settings/api-keys?create=yes");
    await seen(page.getByRole("dialog"));
    expect(await page.locator("style, script:not([src])").count()).toBe(0);
  });
});
