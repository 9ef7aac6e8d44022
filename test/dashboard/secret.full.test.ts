import type { Page } from "playwright-core";
import { addMember } from "../support/people";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen, seenInTime } from "./visit";

describeDashboard("the secret of a new key", (dashboard) => {
  /**
   * Mints a key on the page.
   * @returns the secret that the dialog shows
   */
  const create = async (page: Page, name: string): Promise<string> => {
    await dialogOf(page).getByLabel("Name").fill(name);
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("Copy this key now."));
    const secret = await dialogOf(page).locator("pre").first().textContent();
    expect(secret).toMatch(/^agk_dev_\w+_\w+$/);
    return secret ?? "";
  };
  const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  const permissions = ["clipboard-read", "clipboard-write"];

  test("is copied even if the browser keeps pages from the clipboard", async () => {
    const page = await dashboard.visit("", { permissions });
    await page.addInitScript(() =>
      Object.defineProperty(navigator, "clipboard", {
        get: () => (document.hasFocus() && window.name === "reading" ? Clipboard.prototype : undefined),
      }),
    );
    await page.goto(`${dashboard.gateway.url}/dashboard/api-keys?create=yes`);
    const secret = await create(page, "by selection");
    await dialogOf(page).getByRole("button", { name: "Copy the API key" }).click();
    await seen(dialogOf(page).getByText("Copied").first());
    await dialogOf(page).getByRole("button", { name: "Done" }).click();
    await gone(dialogOf(page));
    const reader = await page.context().newPage();
    await reader.goto(`${dashboard.gateway.url}/dashboard`);
    await eventually(() => clipboard(reader)).toBe(secret);
  });

  test("is shown within its dialog, however long the key's name", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    await create(page, "x".repeat(100));
    const wider = () =>
      dialogOf(page).evaluate((dialog) => {
        const { right } = dialog.getBoundingClientRect();
        return [...dialog.querySelectorAll("*")].filter((part) => part.getBoundingClientRect().right > right)
          .length;
      });
    await eventually(wider).toBe(0);
  });

  test("is not closed uncopied without a confirmation", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    const secret = await create(page, "guarded");
    const asks = dialogOf(page).getByText("You haven’t copied this key.");
    const back = () => dialogOf(page).getByRole("button", { name: "Go back" }).click();
    await page.keyboard.press("Escape");
    await seen(asks);
    await page.keyboard.press("Escape");
    await seen(asks);
    await back();
    await dialogOf(page).getByRole("button", { name: "Close", exact: true }).click();
    await seen(asks);
    await back();
    await page.mouse.click(5, 5);
    await seen(asks);
    await eventually(() => dialogOf(page).locator("pre").first().textContent()).toBe(secret);
    await dialogOf(page).getByRole("button", { name: "Close without copying" }).click();
    await gone(dialogOf(page));
  });

  test("counts as copied when its text is copied", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    await create(page, "by hand");
    await dialogOf(page).locator("pre").first().selectText();
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
  });

  test("keeps the browser from leaving before it is copied", async () => {
    const page = await dashboard.visit("/api-keys?create=yes", { permissions });
    await create(page, "not left");
    const asked = new Promise<string>((resolve) => {
      page.on("dialog", async (dialog) => {
        resolve(dialog.type());
        await dialog.dismiss();
      });
    });
    await page.close({ runBeforeUnload: true });
    expect(await asked).toBe("beforeunload");
    await dialogOf(page).getByRole("button", { name: "Copy the API key" }).click();
    await seen(dialogOf(page).getByText("Copied").first());
    await page.reload();
    await seen(rowOf(page, "not left"));
  });

  test("is still there when the session ends or the page is left by Back", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { manage: true });
    const page = await dashboard.visit("/settings/organization", { as: member });
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Create API key" }).click();
    const secret = await create(page, "kept");
    await page.goBack();
    await page.goBack();
    await gateway.graphql("mutation { signOutEverywhere { endedSessions } }", {}, { token: member.token });
    await seenInTime(page.getByText("Your session has expired."));
    await eventually(() => dialogOf(page).locator("pre").first().textContent()).toBe(secret);
  });
});
