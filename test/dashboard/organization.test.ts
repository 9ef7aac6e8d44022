import { mint } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { describeDashboard, dialogOf, gone, rowOf, seen } from "./visit";

describeDashboard("the organization", (dashboard) => {
  test("shows a long email address within its card", async () => {
    const email = `${"very.long.address.of.a.member".repeat(2)}@${"subdomain.of.a.long.company.name.".repeat(5)}com`;
    await addMember(dashboard.gateway, { email });
    const page = await dashboard.visit("/organization", { viewport: { width: 1024, height: 800 } });
    await seen(rowOf(page, email));
    const table = page.getByRole("table", { name: "Members" });
    for (const width of [360, 860, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const overflow = await table.evaluate(
        (part) => part.scrollWidth - (part.closest("section") ?? part).clientWidth,
      );
      expect([width, overflow <= 0]).toEqual([width, true]);
    }
  });

  test("shows its name and its members with what they may do", async () => {
    const viewer = await addMember(dashboard.gateway, { email: "viewer@example.com" });
    const page = await dashboard.visit("/organization", { as: viewer });
    await seen(rowOf(page, "owner@example.com").getByText("config:manage"));
    await seen(rowOf(page, "viewer@example.com").getByText("Viewer – can view agents and members"));
    await seen(page.getByRole("region", { name: "First organization" }).getByText("Active"));
    expect(await page.getByRole("button", { name: "Deactivate…" }).count()).toBe(0);
  });

  test("is deactivated by typing its name: everything is read-only but the revocation of keys, and a notice says why", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "switched");
    const viewer = await addMember(gateway, { org: "switched" });
    const { secret } = await mint(gateway, { agent: "switched-agent", name: "in use" });
    const whoami = () => gateway.rest("GET", "/agent/whoami", { token: secret });
    expect((await whoami()).status).toBe(200);

    const page = await dashboard.visit("/organization", { as: manager });
    await page.getByRole("button", { name: "Deactivate…" }).click();
    const confirm = dialogOf(page).getByRole("button", { name: "Deactivate" });
    await dialogOf(page).getByLabel("Type switched to confirm").fill("Switched");
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    expect((await whoami()).status).toBe(200);
    await dialogOf(page).getByLabel("Type switched to confirm").fill("switched");
    await confirm.click();
    await gone(dialogOf(page));
    expect(await whoami()).toMatchObject({ status: 401, body: { code: "key_not_resolvable" } });
    await seen(page.getByRole("note").getByText("is deactivated. API keys are rejected"));

    await page.getByRole("link", { name: "API keys" }).click();
    await seen(rowOf(page, "in use"));
    for (const name of ["Create API key", "Rename in use", "Rotate in use"]) {
      expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
    }
    expect(await page.getByRole("button", { name: "Revoke in use" }).isEnabled()).toBe(true);
    await page.goto(`${gateway.url}/dashboard/settings/api-keys?create=yes`);
    await seen(rowOf(page, "in use"));
    expect(await dialogOf(page).count()).toBe(0);
    await page.getByRole("link", { name: "Audit log" }).click();
    await seen(page.getByText(`${manager.email} deactivated the organization switched`));

    const other = await dashboard.visit("", { as: viewer });
    await seen(other.getByRole("note").getByText("Ask an admin to reactivate it."));

    await page.getByRole("link", { name: "Reactivate" }).click();
    await page.getByRole("button", { name: "Reactivate…" }).click();
    await dialogOf(page).getByLabel("Type switched to confirm").fill("switched");
    await page.keyboard.press("Enter");
    await gone(dialogOf(page));
    expect((await whoami()).status).toBe(200);
    await gone(page.getByRole("note"));
  });

  test("rejects a change that comes after the deactivation with a message", async () => {
    const { gateway } = dashboard;
    const { manager, agentId } = await addOrganization(gateway, "overtaken");
    await gateway.graphql(
      `mutation { createApiKey(input: { agentId: "${agentId}", name: "late" }) { secret } }`,
      {},
      { token: manager.token },
    );
    const page = await dashboard.visit("/settings/api-keys", { as: manager });
    await page.getByRole("button", { name: "Rotate late" }).click();
    await seen(dialogOf(page));
    await gateway.graphql("mutation { deactivateOrganization { id } }", {}, { token: manager.token });
    await dialogOf(page).getByRole("button", { name: "Rotate key" }).click();
    await seen(dialogOf(page).getByText("Your organization is deactivated."));
    await seen(dialogOf(page).getByText("Request ID"));
  });
});
