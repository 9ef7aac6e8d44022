import { gzipSync } from "node:zlib";
import { describeDashboard, seen } from "./visit";

/** Most compressed bytes of JavaScript that a page may need before it shows. */
const MOST_SCRIPT = 200_000;

describeDashboard("the first load of the dashboard", (dashboard) => {
  test.each(["", "/settings/api-keys", "/audit-log", "/organization"])(
    "at /dashboard%s is small, compressed, and from this server alone",
    async (path) => {
      const page = await (await dashboard.visit("/nowhere")).context().newPage();
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
      expect(scripts.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MOST_SCRIPT);
      for (const { encoding } of scripts) expect(encoding).toMatch(/^(br|gzip)$/);
      for (const { url } of answers) expect(new URL(url).origin).toBe(dashboard.gateway.url);
    },
  );

  test("needs no style or script in the page itself, which its policy would not let in", async () => {
    const page = await dashboard.visit("/settings/api-keys?create=yes");
    await seen(page.getByRole("dialog"));
    expect(await page.locator("style, script:not([src])").count()).toBe(0);
  });
});
