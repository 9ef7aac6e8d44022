import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import {
  act,
  beforeNews,
  describeDashboard,
  dialogOf,
  eventually,
  follow,
  gone,
  pagePaths,
  rowOf,
  seen,
} from "./visit";

describeDashboard("the organization", (dashboard) => {
  test("is renamed by a manager; others see its name, slug and status", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "renamed");
    const page = await dashboard.visit("/settings/organization", { as: manager });
    await page.getByRole("button", { name: "Rename…" }).click();
    await dialogOf(page).getByLabel("New name").fill("   ");
    await page.keyboard.press("Enter");
    await seen(dialogOf(page).getByText(/^Name must/));
    await dialogOf(page).getByLabel("New name").fill("New name of renamed");
    await page.keyboard.press("Enter");
    await gone(dialogOf(page));
    const viewer = await addMember(dashboard.gateway, { org: "renamed" });
    const other = await dashboard.visit("/settings/organization", { as: viewer });
    const card = other.getByRole("region", { name: "New name of renamed" });
    await seen(card.getByText("Active"));
    await seen(card.getByText("renamed", { exact: true }));
    await eventually(() => other.getByRole("main").getByRole("button").count()).toBe(0);
  });

  test("is deactivated by typing its name: everything is read-only except the revocation of keys, and a notice says why", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "switched");
    const viewer = await addMember(gateway, { org: "switched" });
    const { secret } = await mint(gateway, { agent: "switched-agent", name: "in use" });
    const whoami = () => gateway.rest("GET", "/agent/whoami", { token: secret });
    expect((await whoami()).status).toBe(200);

    const page = await dashboard.visit("/settings/organization", { as: manager });
    await page.getByRole("button", { name: "Deactivate…" }).click();
    const confirm = dialogOf(page).getByRole("button", { name: "Deactivate" });
    await dialogOf(page).getByLabel("Type switched to confirm").fill("Switched");
    await eventually(() => confirm.isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    expect((await whoami()).status).toBe(200);
    await dialogOf(page).getByLabel("Type switched to confirm").fill("switched");
    await confirm.click();
    await gone(dialogOf(page));
    expect(await whoami()).toMatchObject({ status: 401, body: { code: "key_not_resolvable" } });
    await seen(page.getByRole("note").getByText("is deactivated. API keys are rejected"));

    await page.getByRole("link", { name: "API keys" }).click();
    await seen(rowOf(page, "in use"));
    await eventually(() => page.getByRole("button", { name: "Create API key" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Actions for in use" }).click();
    for (const name of ["Rename", "Rotate", "Settings"])
      await eventually(() => page.getByRole("menuitem", { name }).isDisabled()).toBe(true);
    await eventually(() => page.getByRole("menuitem", { name: "Revoke" }).isEnabled()).toBe(true);
    await page.goto(`${gateway.url}/dashboard/api-keys?create=yes`);
    await seen(rowOf(page, "in use"));
    await eventually(() => dialogOf(page).count()).toBe(0);
    for (const path of [...(await pagePaths(dashboard)), "/conversations?state=open"]) {
      // Members keep control of their own accounts.
      if (path === "/settings/profile") continue;
      await follow(page, path);
      await seen(page.getByRole("heading", { level: 1 }));
      await gone(page.locator(".mantine-Skeleton-root"));
      const adds = page.getByRole("main").getByRole("button", { name: /^(Add|Create|Invite|New|Start)\b/ });
      const enabled = adds.and(page.locator(":enabled"));
      await eventually(async () => [path, await enabled.allTextContents()]).toEqual([path, []]);
    }
    await page.getByRole("link", { name: "Audit log" }).click();
    await seen(page.getByText(`${manager.email} deactivated the organization switched`));

    const other = await dashboard.visit("", { as: viewer });
    await seen(other.getByRole("note").getByText(/Ask \S+@\S+ to reactivate it\./));

    await page.getByRole("link", { name: "Reactivate" }).click();
    await page.getByRole("button", { name: "Reactivate…" }).click();
    await dialogOf(page).getByLabel("Type switched to confirm").fill("switched");
    await page.keyboard.press("Enter");
    await gone(dialogOf(page));
    expect((await whoami()).status).toBe(200);
    await gone(page.getByRole("note"));
  });

  test("offers no first agent while it is deactivated", async () => {
    const { gateway } = dashboard;
    await gateway.services.organizations.create({ slug: "unused", name: "Unused" });
    const page = await dashboard.visit("", { as: await addMember(gateway, { org: "unused", manage: true }) });
    const create = page.getByRole("link", { name: "Create an agent" });
    await seen(create);
    await gateway.services.organizations.deactivate(await operator(gateway, "unused"));
    await page.reload();
    await seen(page.getByRole("note"));
    await seen(page.getByText("Create your first agent"));
    await eventually(() => create.count()).toBe(0);
  });

  test("rejects a change that comes after the deactivation with a message", async () => {
    const { gateway } = dashboard;
    const { manager, agentId } = await addOrganization(gateway, "overtaken");
    await gateway.graphql(
      `mutation { createApiKey(input: { agentId: "${agentId}", name: "late" }) { secret } }`,
      {},
      { token: manager.token },
    );
    const page = await dashboard.visit("/api-keys", { as: manager });
    await act(page, "late", "Rotate");
    await seen(dialogOf(page));
    await beforeNews(
      page,
      () => gateway.graphql("mutation { deactivateOrganization { id } }", {}, { token: manager.token }),
      () => dialogOf(page).getByRole("button", { name: "Rotate key" }).click(),
    );
    await seen(dialogOf(page).getByText("Your organization is deactivated."));
    await eventually(() => dialogOf(page).getByText("Request ID").count()).toBe(0);
  });
});
