import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { describeDashboard, dialogOf, gone, rowOf, seen, turnBackTo } from "./visit";

describeDashboard("Settings, API keys", (dashboard) => {
  const whoami = (token: string) => dashboard.gateway.rest("GET", "/agent/whoami", { token });

  /** Copies the secret of the open dialog and closes it. */
  const takeSecret = async (page: Page): Promise<string> => {
    const secret = (await dialogOf(page).locator("pre").first().textContent()) ?? "";
    await dialogOf(page).getByRole("button", { name: "Copy the API key" }).click();
    await dialogOf(page).getByRole("button", { name: "Done" }).click();
    await gone(dialogOf(page));
    return secret;
  };

  test("a key is created, works, and appears immediately, in other tabs too", async () => {
    const page = await dashboard.visit("/settings/api-keys");
    const other = await page.context().newPage();
    await other.goto(page.url());
    await seen(rowOf(other, "First key"));
    // A tab in the background draws one frame a second, and a click waits for frames.
    await page.bringToFront();
    await page.getByRole("button", { name: "Create API key" }).click();
    await dialogOf(page).getByLabel("Name").fill("billing");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("Copy this key now."));
    await seen(rowOf(other, "billing"));
    const secret = await takeSecret(page);
    expect((await whoami(secret)).body).toMatchObject({
      agent: { slug: "first-agent" },
      key: { name: "billing" },
    });
    const row = rowOf(page, "billing");
    await seen(row.getByText("Active"));
    expect(await row.textContent()).toContain(secret.split("_").slice(0, 3).join("_"));
    expect(await row.textContent()).toContain("by owner@example.com");
  });

  test("a key can be limited to some scopes, which its dialogs show", async () => {
    const page = await dashboard.visit("/settings/api-keys?create=yes");
    await dialogOf(page).getByLabel("Name").fill("reads pets");
    await dialogOf(page).getByLabel("Scopes").selectOption("Only some…");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("at least one scope"));
    await dialogOf(page).getByLabel("Read pets").check();
    await dialogOf(page).getByLabel("Read messages").check();
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    const token = await takeSecret(page);
    const { body } = await dashboard.gateway.graphql("{ whoami { key { scopes } } }", {}, { token });
    expect(body.data.whoami.key.scopes).toEqual(["pets_read", "messages_read"]);
    await page.getByRole("button", { name: "Revoke reads pets" }).click();
    await seen(dialogOf(page).getByText("pets:read, messages:read"));
  });

  test("a key can be created with an expiration", async () => {
    const page = await dashboard.visit("/settings/api-keys?create=yes");
    await dialogOf(page).getByLabel("Name").fill("for a month");
    await dialogOf(page).getByLabel("Expiration").selectOption("30 days");
    await seen(dialogOf(page).getByText("Expires on"));
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await takeSecret(page);
    await seen(rowOf(page, "for a month").getByText("expires in 30 days"));
  });

  test("a key can expire on a date, at the end of that day in the browser's time zone", async () => {
    const { gateway } = dashboard;
    const page = await dashboard.visit("/settings/api-keys?create=yes", { timezoneId: "Asia/Tokyo" });
    await dialogOf(page).getByLabel("Name").fill("until new year");
    await dialogOf(page).getByLabel("Expiration").selectOption("On a date…");
    await seen(dialogOf(page).getByText("Pick the last day this key should work."));
    await dialogOf(page).getByLabel("Last day").fill("2099-12-31");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await takeSecret(page);
    const keys = await gateway.graphql(
      '{ apiKeys(search: "until new year") { nodes { expiresAt } } }',
      {},
      { token: gateway.owner },
    );
    expect(keys.body.data.apiKeys.nodes).toEqual([{ expiresAt: "2099-12-31T14:59:59.000Z" }]);
  });

  test("a name in use is rejected at its field until it is edited, and the form keeps what was typed", async () => {
    const page = await dashboard.visit("/settings/api-keys?create=yes");
    const name = dialogOf(page).getByLabel("Name");
    await name.fill("First key");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("has this name"));
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    await name.fill("   ");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("Name must not be empty."));
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    await name.fill("Another key");
    expect(await name.getAttribute("aria-invalid")).toBeNull();
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await takeSecret(page);
    await seen(rowOf(page, "Another key"));
  });

  test("a revoked key is rejected on its next request", async () => {
    const { secret } = await mint(dashboard.gateway, { name: "to be revoked" });
    expect((await whoami(secret)).status).toBe(200);
    const page = await dashboard.visit("/settings/api-keys?search=to+be+revoked");
    await page.getByRole("button", { name: "Revoke to be revoked" }).click();
    const dialog = dialogOf(page);
    await seen(dialog.getByRole("heading", { name: "Revoke “to be revoked”?" }));
    expect(await dialog.textContent()).toMatch(/Anything using this key will immediately get a 403 error/);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await gone(dialog);
    expect((await whoami(secret)).status).toBe(200);

    await page.getByRole("button", { name: "Revoke to be revoked" }).click();
    const answered = page.waitForResponse(
      (answer) => answer.request().postData()?.includes("revokeApiKey") === true,
    );
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await answered;
    expect(await whoami(secret)).toMatchObject({ status: 403, body: { code: "key_revoked" } });
    await seen(rowOf(page, "to be revoked").getByText("Revoked"));
    await seen(page.getByRole("status").getByText("Revoked to be revoked."));
    expect(await page.getByRole("button", { name: "Revoke to be revoked" }).count()).toBe(0);
    // Its button is gone, so the focus returns to the heading.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });

  test("a key is rotated, and both are accepted for the grace period", async () => {
    const { secret: old, hint } = await mint(dashboard.gateway, { name: "to be rotated" });
    const page = await dashboard.visit("/settings/api-keys?search=to+be+rotated");
    await page.getByRole("button", { name: "Rotate to be rotated" }).click();
    await dialogOf(page).getByLabel("Keep the old key working for").selectOption("24 hours");
    await dialogOf(page).getByRole("button", { name: "Rotate key" }).click();
    const secret = await takeSecret(page);
    expect(secret).not.toBe(old);
    expect([(await whoami(old)).status, (await whoami(secret)).status]).toEqual([200, 200]);
    await seen(rowOf(page, hint).getByText("Rotating"));
    await seen(rowOf(page, hint).getByText("expires in 24 hours"));
    // A replaced key cannot be rotated again.
    expect(await page.getByRole("button", { name: "Rotate to be rotated" }).count()).toBe(1);
  });

  test("a key is rotated without grace, and the old one is rejected immediately", async () => {
    const { secret: old } = await mint(dashboard.gateway, { name: "leaked" });
    const page = await dashboard.visit("/settings/api-keys?search=leaked");
    await page.getByRole("button", { name: "Rotate leaked" }).click();
    await seen(dialogOf(page).getByText("Both work until the old one expires."));
    await dialogOf(page)
      .getByLabel("Keep the old key working for")
      .selectOption("Don’t – revoke immediately");
    await seen(dialogOf(page).getByText("Anything still using the old key will fail immediately."));
    await dialogOf(page).getByRole("button", { name: "Rotate key" }).click();
    await takeSecret(page);
    expect((await whoami(old)).status).toBe(403);
  });

  test("a key is renamed", async () => {
    await mint(dashboard.gateway, { name: "old name" });
    const page = await dashboard.visit("/settings/api-keys");
    await page.getByRole("button", { name: "Rename old name" }).click();
    await dialogOf(page).getByLabel("New name").fill("new name");
    await page.keyboard.press("Enter");
    await seen(rowOf(page, "new name"));
    await seen(page.getByText("Renamed old name to new name."));
  });

  test("the list is searched and filtered, and the URL keeps the filters", async () => {
    const { gateway } = dashboard;
    const { id } = await mint(gateway, { name: "crm 100%" });
    await mint(gateway, { name: "crm staging" });
    await gateway.services.keys.revoke(await operator(gateway), id);
    const page = await dashboard.visit("/settings/api-keys");
    await seen(rowOf(page, "First key"));
    await page.getByLabel("Search by name or key prefix").fill("CRM ");
    await page.waitForURL(/search=CRM/);
    await gone(rowOf(page, "First key"));
    // The space may be the start of another word.
    expect(await page.getByLabel("Search by name or key prefix").inputValue()).toBe("CRM ");
    await seen(rowOf(page, "crm staging"));
    await page.getByLabel("Status").selectOption("Revoked");
    await gone(rowOf(page, "crm staging"));
    await seen(rowOf(page, "crm 100%"));
    await page.reload();
    await seen(rowOf(page, "crm 100%"));
    expect(await page.getByLabel("Search by name or key prefix").inputValue()).toBe("CRM");
    await page.getByLabel("Search by name or key prefix").fill("nothing like it");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await seen(rowOf(page, "First key"));
    await page.goBack();
    await seen(page.getByText("No matching API keys"));
  });

  test("an address with filters that do not exist shows the list without them", async () => {
    const page = await dashboard.visit(`/settings/api-keys?state=bogus&search=${"F".repeat(101)}`);
    await seen(page.getByText("No matching API keys"));
    expect(await page.getByLabel("Status").inputValue()).toBe("");
    await page.goto(`${dashboard.gateway.url}/dashboard/settings/api-keys?state=bogus`);
    await seen(rowOf(page, "First key"));
  });

  test("the list has pages, and Back, a reload and the buttons lead through them", async () => {
    const names = Array.from({ length: 23 }, (_, i) => `page ${String(i).padStart(2, "0")}`);
    for (const name of names) await mint(dashboard.gateway, { name });
    const page = await dashboard.visit("/settings/api-keys?search=page", {
      viewport: { width: 1280, height: 300 },
    });
    await seen(rowOf(page, "page 22"));
    expect(await page.getByRole("button", { name: "Newer" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Older" }).click();
    await seen(rowOf(page, "page 00"));
    expect(await page.getByRole("row").count()).toBe(1 + 3);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    await page.reload();
    await seen(rowOf(page, "page 00"));
    await page.getByRole("button", { name: "Newer" }).click();
    await seen(rowOf(page, "page 22"));
    await page.goBack();
    await seen(rowOf(page, "page 00"));
  });

  test("a cursor that the server does not know leads to the first page, here and in the audit log", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "bookmarked");
    for (const [path, content] of [
      ["/settings/api-keys", "No API keys yet"],
      ["/audit-log", "created the organization"],
    ]) {
      const page = await dashboard.visit(`${path}?after=garbage`, { as: manager });
      await seen(page.getByText(content ?? ""));
      expect(new URL(page.url()).search).toBe("");
      expect(await page.getByRole("alert").count()).toBe(0);
    }
  });

  test("changes by other members appear within seconds", async () => {
    const { gateway } = dashboard;
    const { id } = await mint(gateway, { name: "elsewhere" });
    const page = await dashboard.visit("/settings/api-keys?search=elsewhere");
    await seen(rowOf(page, "elsewhere").getByText("Active"));
    await gateway.services.keys.revoke(await operator(gateway), id);
    await seen(rowOf(page, "elsewhere").getByText("Revoked"));
  });

  test("an organization without keys shows how to start", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "fresh");
    const page = await dashboard.visit("/settings/api-keys", { as: manager });
    await seen(page.getByText("No API keys yet"));
    await page.getByRole("button", { name: "Create your first API key" }).click();
    await seen(dialogOf(page).getByLabel("Name"));
    expect(await dialogOf(page).getByLabel("Agent").locator("option").allTextContents()).toEqual([
      "Agent of fresh",
    ]);
  });

  test("an organization without agents learns how to add one", async () => {
    const { gateway } = dashboard;
    await gateway.services.organizations.create({ slug: "agentless", name: "Agentless" });
    const manager = await addMember(gateway, { org: "agentless", manage: true });
    const page = await dashboard.visit("/settings/api-keys", { as: manager });
    await page.getByRole("button", { name: "Create your first API key" }).click();
    await seen(dialogOf(page).getByText("You need an agent before you can create a key."));
    expect(await dialogOf(page).getByLabel("Name").count()).toBe(0);
    await page.keyboard.press("Enter");
    await gone(dialogOf(page));
  });

  test("a member without config:manage sees neither the link nor the page", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway);
    const page = await dashboard.visit("/settings/api-keys", { as: member });
    await seen(page.getByText("You don’t have access to this page"));
    const links = await page
      .getByRole("navigation", { name: "Dashboard" })
      .getByRole("link")
      .allTextContents();
    expect(links).toEqual(["Overview", "Organization"]);
    // With the session cookie, but around the user interface.
    const refused = await page.evaluate(async () => {
      const answer = await fetch("/graphql", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "{ apiKeys { nodes { name } } }" }),
      });
      return { status: answer.status, body: await answer.json() };
    });
    expect(refused).toMatchObject({ status: 200, body: { errors: [{ extensions: { code: "forbidden" } }] } });
    await gateway.services.members.grantPermission(await operator(gateway), {
      memberId: member.id,
      permission: Permission.config_manage,
    });
    await turnBackTo(page);
    await seen(page.getByRole("table", { name: "API keys" }));
  });
});
