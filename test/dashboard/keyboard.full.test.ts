import type { Page } from "playwright-core";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { mint } from "../support/gateway";
import { addOrganization, firstAgentId } from "../support/people";
import { waitUntil } from "../support/wait-until";
import { focusComesTo, focused, hasFocus, tabTo } from "./focus";
import { describeDashboard, dialogOf, eventually, gone, pressEnter, rowOf, seen } from "./visit";

const press = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
};

describeDashboard("with the keyboard alone", (dashboard) => {
  test("links lead from page to page, and the heading takes the focus", async () => {
    const page = await dashboard.visit();
    await seen(page.getByRole("heading", { name: "Overview" }));
    await page.keyboard.press("Tab");
    await focusComesTo(page, "Skip to main content");
    for (const name of ["API keys", "Audit log", "Organization", "Overview"]) {
      await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name }).focus();
      await page.keyboard.press("Enter");
      // This must not be the heading of the page whose code is loading.
      await waitUntil(() =>
        page
          .evaluate(
            (title) => document.activeElement?.matches("h1") && document.activeElement.textContent === title,
            name,
          )
          .then(Boolean),
      );
      // The heading is not interactive, so it has no outline.
      await eventually(() =>
        page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle),
      ).toBe("none");
      await seen(page.locator(`a[aria-current="page"]`, { hasText: name }));
    }
  });

  test("a key is created, copied, rotated and revoked", async () => {
    const { gateway } = dashboard;
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await dashboard.visit("/api-keys", { permissions });
    await seen(rowOf(page, "First key"));
    await press(page, "Create API key");
    await seen(dialogOf(page));
    await tabTo(page, "Name");
    await page.keyboard.type("typed");
    await page.keyboard.press("Enter");
    await seen(dialogOf(page).getByText("Copy this key now."));
    // The copy button already has the focus.
    await seen(page.locator("button:focus", { hasText: "Copy" }));
    await page.keyboard.press("Enter");
    await seen(dialogOf(page).getByText("Copied"));
    const first = await page.evaluate(() => navigator.clipboard.readText());
    expect((await gateway.rest("GET", "/agent/whoami", { token: first })).status).toBe(200);
    await press(page, "Done");
    await gone(dialogOf(page));

    // The focus is back on the button that opened the first dialog.
    await focusComesTo(page, "Create API key");
    const choose = async (action: string) => {
      await press(page, "Actions for typed");
      await seen(page.locator('[role="menu"]:focus-within'));
      for (let presses = 0; presses < 8 && (await focused(page)) !== action; presses++)
        await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
    };
    await choose("Rotate…");
    await seen(dialogOf(page));
    await tabTo(page, "Keep the old key working for");
    await page.keyboard.press("Home");
    await press(page, "Rotate key");
    await seen(dialogOf(page).getByText("Copy this key now."));
    await seen(page.locator("button:focus", { hasText: "Copy" }));
    await page.keyboard.press("Enter");
    await seen(dialogOf(page).getByText("Copied"));
    const second = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
    expect((await gateway.rest("GET", "/agent/whoami", { token: first })).status).toBe(403);

    // The focus is on the old key; the new key is first in the list.
    await page.getByRole("heading", { name: "API keys" }).focus();
    await choose("Revoke…");
    await seen(dialogOf(page));
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
    // The focus returns to where it was.
    await focusComesTo(page, "Actions for typed");
    await choose("Revoke…");
    await seen(dialogOf(page));
    await focusComesTo(page, "Cancel");
    await press(page, "Revoke key");
    await gone(dialogOf(page));
    expect((await gateway.rest("GET", "/agent/whoami", { token: second })).status).toBe(403);
  });

  test("the focus stays within a dialog", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    await focusComesTo(page, "Name");
    const staysInside = () =>
      eventually(() => page.evaluate(() => document.activeElement?.closest('[role="dialog"]') != null)).toBe(
        true,
      );
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press("Tab");
      await staysInside();
    }
    // This button is removed when it is pressed.
    const keep = page.getByRole("button", { name: "Keep editing" });
    await dialogOf(page).getByLabel("Name").fill("typed");
    await dialogOf(page).getByLabel("Agent").selectOption({ index: 1 });
    await pressEnter(page.getByRole("button", { name: "Cancel" }));
    await pressEnter(keep);
    await gone(keep);
    await staysInside();
  });

  test("the focus stays near an element that is removed or disabled", async () => {
    const { gateway } = dashboard;
    const agentId = await firstAgentId(gateway);
    const addresses = [{ kind: AddressKind.local, address: "typed" }];
    const id = await addContact(gateway, { agentId, name: "Typed", tags: ["one", "two"], addresses });
    const page = await dashboard.visit(`/contacts/${id}`);
    const all = page.getByRole("switch", { name: "All messages" });
    await all.press("Space");
    await pressEnter(dialogOf(page).getByRole("button", { name: "Opt out" }));
    await seen(page.getByText("Opted out: All messages."));
    await hasFocus(all);
    const tags = page.getByRole("list", { name: "Tags" });
    await pressEnter(page.getByRole("button", { name: "Remove the tag one" }));
    await gone(tags.getByText("one"));
    await hasFocus(tags);
    await pressEnter(page.getByRole("button", { name: "Remove the tag two" }));
    await gone(tags);
    await hasFocus(page.getByRole("region", { name: "Tags" }));
    await page.goto(`${gateway.url}/dashboard/contacts?search=absent`);
    await pressEnter(page.getByRole("button", { name: "Clear filters" }));
    await hasFocus(page.getByRole("heading", { level: 1, name: "Contacts" }));
  });

  test("the audit log is filtered, read and exported", async () => {
    await mint(dashboard.gateway, { name: "read about" });
    const page = await dashboard.visit("/settings/audit-log");
    await seen(page.getByText("created the API key read about"));
    await tabTo(page, "Action");
    await page.keyboard.type("API key created");
    await gone(page.getByText("created the organization"));
    // The results for the partly typed text are gone.
    await seen(page.locator('ul[data-stale="false"]', { hasText: "read about" }));
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await seen(page.getByText("Target ID"));
    const download = page.waitForEvent("download");
    await page.locator("body").press("Shift+Tab");
    await page.getByRole("heading", { name: "Audit log" }).focus();
    await press(page, "Export as CSV");
    await download;
  });

  test("an organization is deactivated and reactivated", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "typed");
    const page = await dashboard.visit("/settings/organization", { as: manager });
    await seen(page.getByRole("region", { name: "Deactivate organization" }));
    for (const [open, outcome] of [
      ["Deactivate…", "Deactivated Organization typed."],
      ["Reactivate…", "Reactivated Organization typed."],
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
