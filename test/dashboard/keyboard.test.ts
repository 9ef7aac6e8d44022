import type { Page } from "playwright-core";
import { mint } from "../support/gateway";
import { addOrganization } from "../support/people";
import { describeDashboard, dialogOf, gone, rowOf, seen } from "./visit";

/** How many presses of Tab lead around the longest page. */
const MAX_TABS = 80;

/** In the page: what the focus is on, as it is read out. */
function nameOfFocus(): string {
  const at = document.activeElement as HTMLElement | null;
  const label = (at as HTMLInputElement | null)?.labels?.[0]?.textContent;
  return (at?.getAttribute("aria-label") ?? label ?? at?.textContent ?? "").trim();
}

const focused = (page: Page): Promise<string> => page.evaluate(nameOfFocus);

/** Waits for the focus, which follows what is seen. @throws Error when it does not come there */
async function focusComesTo(page: Page, name: string): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  while ((await focused(page)) !== name) {
    if (Date.now() > giveUpAt) {
      throw new Error(`The focus does not come to "${name}" but to "${await focused(page)}".`);
    }
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

/** Presses Tab until the focus is on this. @throws Error when no press leads there */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses++) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to "${name}" but to "${await focused(page)}".`);
}

const press = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
};

describeDashboard("with the keyboard alone", (dashboard) => {
  test("one walks from page to page, and the heading takes the focus", async () => {
    const page = await dashboard.visit();
    await seen(page.getByRole("heading", { name: "Overview" }));
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to the content");
    for (const name of ["API keys", "Audit log", "Organization", "Overview"]) {
      await page.getByRole("link", { name }).focus();
      await page.keyboard.press("Enter");
      await seen(page.getByRole("heading", { name, level: 1 }));
      await focusComesTo(page, name);
      // It is nothing to press, so there is no frame around it.
      const frame = await page.evaluate(
        () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
      );
      expect(frame).toBe("none");
      await seen(page.locator(`a[aria-current="page"]`, { hasText: name }));
    }
  });

  test("a key is created, copied, rotated and revoked", async () => {
    const { gateway } = dashboard;
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await dashboard.visit("/settings/api-keys", { permissions });
    await seen(rowOf(page, "First key"));
    await press(page, "Create API key");
    await seen(dialogOf(page));
    await tabTo(page, "Name");
    await page.keyboard.type("typed");
    await page.keyboard.press("Enter");
    await seen(dialogOf(page).getByText("is shown this once"));
    // The button to copy has the focus already.
    await seen(page.locator("button:focus", { hasText: "Copy" }));
    await page.keyboard.press("Enter");
    await seen(dialogOf(page).getByText("Copied"));
    const first = await page.evaluate(() => navigator.clipboard.readText());
    expect((await gateway.rest("GET", "/agent/whoami", { token: first })).status).toBe(200);
    await press(page, "Done");
    await gone(dialogOf(page));

    await press(page, "Rotate typed");
    await seen(dialogOf(page));
    await tabTo(page, "The old key still works");
    await page.keyboard.press("Home");
    await press(page, "Rotate the key");
    await seen(dialogOf(page).getByText("is shown this once"));
    await seen(page.locator("button:focus", { hasText: "Copy" }));
    await page.keyboard.press("Enter");
    await seen(dialogOf(page).getByText("Copied"));
    const second = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
    expect((await gateway.rest("GET", "/agent/whoami", { token: first })).status).toBe(403);

    await press(page, "Revoke typed");
    await seen(dialogOf(page));
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
    // The focus is back where it came from.
    await focusComesTo(page, "Revoke typed");
    await page.keyboard.press("Enter");
    await seen(dialogOf(page));
    await focusComesTo(page, "Keep the key");
    await press(page, "Revoke the key");
    await gone(dialogOf(page));
    expect((await gateway.rest("GET", "/agent/whoami", { token: second })).status).toBe(403);
  });

  test("the focus stays within a dialog", async () => {
    const page = await dashboard.visit("/settings/api-keys?create=yes");
    await focusComesTo(page, "Name");
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(
        true,
      );
    }
  });

  test("the audit log is filtered, read and exported", async () => {
    await mint(dashboard.gateway, { name: "read about" });
    const page = await dashboard.visit("/audit-log");
    await seen(page.getByText("created the API key read about"));
    await tabTo(page, "What");
    await page.keyboard.type("API key created");
    await gone(page.getByText("created the organization"));
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await seen(page.getByText("Request id"));
    const download = page.waitForEvent("download");
    await page.locator("body").press("Shift+Tab");
    await page.getByRole("heading", { name: "Audit log" }).focus();
    await press(page, "Export as CSV");
    await download;
  });

  test("an organization is deactivated and reactivated", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "typed");
    const page = await dashboard.visit("/organization", { as: manager });
    await seen(page.getByRole("region", { name: "Deactivate the organization" }));
    for (const [open, outcome] of [
      ["Deactivate…", "is deactivated."],
      ["Reactivate…", "is active again."],
    ] as const) {
      await press(page, open);
      await seen(dialogOf(page));
      await tabTo(page, "Type typed to confirm");
      await page.keyboard.type("typed");
      await page.keyboard.press("Enter");
      await gone(dialogOf(page));
      await seen(page.getByRole("status").getByText(outcome));
    }
  });
});
