import { mint } from "../support/gateway";
import { addMember } from "../support/people";
import { violations } from "./axe";
import { hasFocus } from "./focus";
import { describeDashboard, dialogOf, eventually, gone, seen } from "./visit";

describeDashboard("the palette of the dashboard", (dashboard) => {
  test("leads by keyboard to pages and to API keys", async () => {
    const { id } = await mint(dashboard.gateway, { name: "warehouse robot" });
    const page = await dashboard.visit();
    await seen(page.getByRole("button", { name: "Go to…" }));
    await page.keyboard.press("Control+k");
    const field = dialogOf(page).getByRole("combobox", { name: "Go to a page or an API key" });
    await field.fill("audit");
    await seen(dialogOf(page).getByRole("option", { name: "Audit log" }));
    await eventually(() => dialogOf(page).getByRole("option").count()).toBe(1);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Audit log" }));
    await gone(dialogOf(page));

    await page.keyboard.press("/");
    await field.fill("robot");
    await seen(dialogOf(page).getByRole("option", { name: "warehouse robot" }));
    await eventually(() => violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/dashboard/api-keys/${id}`);
  });

  test("offers only what the member may see, and says when nothing is found", async () => {
    const member = await addMember(dashboard.gateway);
    const page = await dashboard.visit("", { as: member });
    await page.getByRole("button", { name: "Go to…" }).click();
    await seen(dialogOf(page).getByRole("option", { name: "Overview" }));
    await eventually(() => dialogOf(page).getByRole("option", { name: "API keys" }).count()).toBe(0);
    await page.keyboard.type("no such page");
    await seen(dialogOf(page).getByText("Nothing found"));
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
  });

  test("leaves the slash to text fields, and gives it to the search of a page", async () => {
    const page = await dashboard.visit("/api-keys");
    const search = page.getByRole("searchbox");
    await seen(search);
    await page.keyboard.press("/");
    await hasFocus(search);
    await page.keyboard.type("a/b");
    await eventually(() => search.inputValue()).toBe("a/b");
  });
});
