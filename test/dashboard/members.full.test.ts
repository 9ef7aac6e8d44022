import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { addMember, addOrganization, invite, openSession } from "../support/people";
import { beforeNews, describeDashboard, dialogOf, eventually, gone, rowOf, seen } from "./visit";

describeDashboard("the members", (dashboard) => {
  const open = async (page: Page, of: string, action: string) => {
    await page.getByRole("button", { name: `Actions for ${of}`, exact: true }).click();
    await page.getByRole("menuitem", { name: action }).click();
    await seen(dialogOf(page));
  };

  test("are invited with a link that is shown once, invited again, and their invitation is withdrawn", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "inviting");
    const page = await dashboard.visit("/settings/members", { as: manager });
    const dialog = dialogOf(page);
    await page.getByRole("button", { name: "Invite member" }).click();
    await dialog.getByLabel("E-mail").fill(manager.email);
    await page.keyboard.press("Enter");
    await seen(dialog.locator("[id$=error]").getByText(/member/));
    await dialog.getByLabel("E-mail").fill("ada@example.com");
    await dialog.getByLabel("Role").selectOption("Support");
    await dialog.getByLabel("Write in conversations").uncheck();
    await eventually(() => dialog.getByLabel("Role").inputValue()).toBe("Custom");
    await dialog.getByRole("button", { name: "Invite" }).click();
    await seen(dialog.getByText("Copy this link now."));
    await seen(dialog.getByText("This server does not send e-mail. Pass on the link yourself."));
    const first = await dialog.locator("pre").first().textContent();
    expect(first).toMatch(/\/dashboard\/invitation#agi_/);
    await page.keyboard.press("Escape");
    await seen(dialog.getByText("you’ll have to invite them again"));
    await dialog.getByRole("button", { name: "Close without copying" }).click();
    await gone(dialog);
    await seen(rowOf(page, "ada@example.com").getByText("Read conversations"));

    await open(page, "the invitation of ada@example.com", "Invite again…");
    await eventually(() => dialog.getByLabel("Read contacts").isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Invite again" }).click();
    await seen(dialog.getByText("Copy this link now."));
    const second = await dialog.locator("pre").first().textContent();
    expect(second).not.toBe(first);
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close without copying" }).click();
    await gone(dialog);

    // The person becomes a member while the form is open.
    await open(page, "the invitation of ada@example.com", "Invite again…");
    await beforeNews(
      page,
      () => addMember(dashboard.gateway, { org: "inviting", email: "ada@example.com" }),
      () => dialog.getByRole("button", { name: "Invite again" }).click(),
    );
    await seen(dialog.getByRole("alert").getByText(/member/));
    await page.keyboard.press("Escape");
    await gone(dialog);

    await open(page, "the invitation of ada@example.com", "Withdraw…");
    await dialog.getByRole("button", { name: "Withdraw" }).click();
    await seen(page.getByText("No pending invitations"));
    await page.goto(`${dashboard.gateway.url}/dashboard/invitation${new URL(second ?? "").hash}`);
    await seen(page.getByRole("alert").getByText("The invitation was used, withdrawn or replaced"));
  });

  test("get and lose permissions and sessions, and are removed; the last manager can be neither", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "staffed");
    const member = await addMember(gateway, { org: "staffed", email: "grace@example.com" });
    await openSession(gateway, member);
    const page = await dashboard.visit("/settings/members", { as: manager });
    const dialog = dialogOf(page);
    await open(page, member.email, "Change permissions…");
    await dialog.getByLabel("Read contacts").check();
    await dialog.getByLabel("Write in conversations").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await seen(rowOf(page, member.email).getByText("Write in conversations"));
    await gone(dialog);
    await open(page, member.email, "Change permissions…");
    await dialog.getByLabel("Write in conversations").uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await gone(rowOf(page, member.email).getByText("Write in conversations"));
    await seen(rowOf(page, member.email).getByText("Read conversations"));
    await gone(dialog);

    await open(page, manager.email, "Change permissions…");
    await dialog.getByLabel("Manage API keys").uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await seen(dialog.getByRole("alert").getByText("The last member with the permission config:manage"));
    await eventually(() => dialog.getByText("Request ID").count()).toBe(0);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await gone(dialog);

    await open(page, member.email, "Sessions…");
    const ends = dialog.getByRole("button", { name: /^End the session/ });
    await seen(ends);
    await eventually(() => ends.count()).toBe(2);
    await ends.first().click();
    await gone(ends.nth(1));
    await dialog.getByRole("button", { name: "Done" }).click();
    await gone(dialog);

    await open(page, member.email, "Remove…");
    await dialog.getByRole("button", { name: "Remove member" }).click();
    await gone(rowOf(page, member.email));
    await gone(dialog);
    await open(page, manager.email, "Remove…");
    await dialog.getByRole("button", { name: "Leave" }).click();
    await seen(dialog.getByRole("alert").getByText("The last member with the permission config:manage"));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await gone(dialog);

    // With another manager, this one can become a support agent.
    await addMember(gateway, { org: "staffed", manage: true });
    await open(page, manager.email, "Change permissions…");
    await dialog.getByLabel("Role").selectOption("Support");
    await dialog.getByRole("button", { name: "Save" }).click();
    await seen(rowOf(page, manager.email).getByText("Write in conversations"));
    await gone(rowOf(page, manager.email).getByText("Manage"));
  });

  test("are only listed for a member without permissions, with a long email address inside its card", async () => {
    const email = `${"very.long.address.of.a.member".repeat(2)}@${"subdomain.of.a.long.company.name.".repeat(5)}com`;
    await addMember(dashboard.gateway, { email, permissions: Object.values(Permission) });
    await invite(dashboard.gateway, { email: "not.listed@example.com" });
    const viewer = await addMember(dashboard.gateway, { email: "viewer@example.com" });
    const page = await dashboard.visit("/settings/members", { as: viewer });
    await seen(rowOf(page, "owner@example.com").getByText("Manage"));
    await seen(rowOf(page, "viewer@example.com").getByText("View only"));
    await eventually(() => page.getByRole("main").getByRole("button").count()).toBe(0);
    await eventually(() => page.getByText("not.listed@example.com").count()).toBe(0);
    const table = page.getByRole("table", { name: "Members" });
    for (const width of [360, 860, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const overflows = () =>
        table.evaluate((part) => part.scrollWidth > (part.closest("section") ?? part).clientWidth);
      await eventually(async () => [width, await overflows()]).toEqual([width, false]);
    }
  });
});
