import { addMember } from "../support/people";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen } from "./visit";

describeDashboard("pets", (dashboard) => {
  test("a manager adds one and filters by status, and other members only look", async () => {
    const page = await dashboard.visit("/pets");
    await page.getByRole("button", { name: "Add your first pet" }).click();
    await dialogOf(page).getByLabel("Name").fill("<b>Rex</b>");
    await dialogOf(page).getByLabel("Category").fill("many");
    await dialogOf(page).getByLabel("Status").selectOption("Sold");
    await dialogOf(page).getByRole("button", { name: "Add pet" }).click();
    await seen(dialogOf(page).getByText(/^Category id must/));
    await dialogOf(page).getByLabel("Category").fill("9223372036854775807");
    await page.keyboard.press("Enter");
    await gone(dialogOf(page));
    await seen(rowOf(page, "<b>Rex</b>").getByText("9223372036854775807"));
    await page.getByLabel("Status").selectOption("Available");
    await seen(page.getByText("No matching pets"));
    await page.getByRole("button", { name: "Clear filters" }).click();
    await seen(rowOf(page, "<b>Rex</b>"));

    const viewer = await dashboard.visit("/pets", { as: await addMember(dashboard.gateway) });
    await seen(rowOf(viewer, "<b>Rex</b>").getByText("Sold"));
    await eventually(() => viewer.getByRole("button", { name: "Add pet" }).count()).toBe(0);
  });
});
