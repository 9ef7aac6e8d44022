import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { hasFocus } from "./focus";
import {
  act,
  beforeNews,
  describeDashboard,
  dialogOf,
  eventually,
  gone,
  pressEnter,
  rejectedRequests,
  rowOf,
  seen,
  seenInTime,
} from "./visit";

describeDashboard("API keys", (dashboard) => {
  const whoami = (token: string) => dashboard.gateway.rest("GET", "/agent/whoami", { token });

  /** Copies the secret of the open dialog and closes it. */
  const takeSecret = async (page: Page): Promise<string> => {
    const secret = (await dialogOf(page).locator("pre").first().textContent()) ?? "";
    await dialogOf(page).getByRole("button", { name: "Copy the API key" }).click();
    await dialogOf(page).getByRole("button", { name: "Done" }).click();
    await gone(dialogOf(page));
    return secret;
  };

  test("a key can be created with an expiration", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    await dialogOf(page).getByLabel("Name").fill("for a month");
    await dialogOf(page).getByLabel("Expiration").selectOption("30 days");
    await seen(dialogOf(page).getByText("Expires on"));
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await takeSecret(page);
    await seen(rowOf(page, "for a month").getByText("expires in 30 days"));
  });

  test("a key can expire on a date, at the end of that day in the browser's time zone", async () => {
    const { gateway } = dashboard;
    const page = await dashboard.visit("/api-keys?create=yes", { timezoneId: "Asia/Tokyo" });
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

  test("an organization key is created with scopes, found by the filter and rotated", async () => {
    const page = await dashboard.visit("/api-keys?create=yes", { viewport: { width: 1280, height: 600 } });
    await dialogOf(page).getByLabel("Agent").selectOption("None – manages the organization");
    await dialogOf(page).getByLabel("Name").fill("pipeline");
    await page.keyboard.press("Enter");
    const missing = dialogOf(page).getByText("Choose at least one scope.");
    await seen(missing);
    await hasFocus(dialogOf(page).getByRole("checkbox").first());
    await eventually(async () => ((await missing.boundingBox())?.y ?? 600) < 500).toBe(true);
    await eventually(() => dialogOf(page).getByRole("alert").count()).toBe(0);
    await dialogOf(page).getByLabel("configuration:publish").check();
    await eventually(() => dialogOf(page).getByText("Choose at least one scope.").count()).toBe(0);
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    const secret = await takeSecret(page);
    expect((await whoami(secret)).body).toMatchObject({ organization: { slug: "first" } });
    await page.getByLabel("Agent").selectOption("Organization");
    await seen(rowOf(page, "pipeline").getByText("Organization"));
    await gone(rowOf(page, "First key"));
    await act(page, "pipeline", "Rotate");
    await seen(dialogOf(page).getByText("configuration:publish"));
    await dialogOf(page).getByRole("button", { name: "Rotate key" }).click();
    expect(await takeSecret(page)).toMatch(/^ago_dev_/);
  });

  test("a name in use is rejected at its field until it is edited, and the form keeps what was typed", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    const name = dialogOf(page).getByLabel("Name");
    await name.fill("First key");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("has this name"));
    await eventually(() => name.getAttribute("aria-invalid")).toBe("true");
    await name.fill("   ");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("Name must not be empty."));
    await eventually(() => name.getAttribute("aria-invalid")).toBe("true");
    await name.fill("Another key");
    await eventually(() => name.getAttribute("aria-invalid")).toBeNull();
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await takeSecret(page);
    await seen(rowOf(page, "Another key"));
  });

  test("a key is rotated without a grace period, and the old one is rejected immediately", async () => {
    const { secret: old } = await mint(dashboard.gateway, { name: "leaked" });
    const page = await dashboard.visit("/api-keys?search=leaked");
    await act(page, "leaked", "Rotate");
    await seen(dialogOf(page).getByText("Both keys work until the old one expires."));
    await dialogOf(page)
      .getByLabel("Keep the old key working for")
      .selectOption("Don’t – revoke immediately");
    await seen(dialogOf(page).getByText("Requests with the old key will fail immediately."));
    await dialogOf(page).getByRole("button", { name: "Rotate key" }).click();
    await takeSecret(page);
    expect((await whoami(old)).status).toBe(403);
  });

  test("a key is renamed", async () => {
    await mint(dashboard.gateway, { name: "old name" });
    const page = await dashboard.visit("/api-keys");
    await act(page, "old name", "Rename");
    await dialogOf(page).getByLabel("New name").fill("new name");
    await page.keyboard.press("Enter");
    await seen(rowOf(page, "new name"));
    await seen(page.getByText("Renamed old name to new name."));
  });

  test("an address with filters that do not exist shows the list without them", async () => {
    const page = await dashboard.visit(`/api-keys?state=bogus&search=${"F".repeat(101)}`);
    await seen(page.getByText("No matching API keys"));
    await eventually(() => page.getByLabel("Status").inputValue()).toBe("");
    await page.goto(`${dashboard.gateway.url}/dashboard/api-keys?state=bogus`);
    await seen(rowOf(page, "First key"));
  });

  test("the list has pages, and Back, a reload and the buttons lead through them", async () => {
    const names = Array.from({ length: 23 }, (_, i) => `page ${String(i).padStart(2, "0")}`);
    for (const name of names) await mint(dashboard.gateway, { name });
    const page = await dashboard.visit("/api-keys?search=page", {
      viewport: { width: 1280, height: 300 },
    });
    await seen(rowOf(page, "page 22"));
    await eventually(() => page.getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
    await seen(page.getByText("1–20 of 23"));
    // Until the next page is loaded, this one is shown, whose cursor must not be followed twice.
    const next = page.getByRole("button", { name: "Next" });
    await beforeNews(
      page,
      () => next.press("Enter"),
      () => next.press("Enter"),
    );
    await seen(rowOf(page, "page 00"));
    await seen(page.getByText("21–23 of 23"));
    await eventually(() => page.getByRole("row").count()).toBe(1 + 3);
    await eventually(() => page.evaluate(() => window.scrollY)).toBe(0);
    await page.reload();
    await seen(rowOf(page, "page 00"));
    await page.getByRole("button", { name: "Previous" }).click();
    await seen(rowOf(page, "page 22"));
    await page.goBack();
    await seen(rowOf(page, "page 00"));
  });

  test("a cursor that the server does not know, or of an emptied page, leads to the first page, here and in the audit log", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "bookmarked");
    await mint(gateway, { agent: "bookmarked-agent", name: "the only one" });
    const ends = "{ apiKeys { pageInfo { endCursor } } auditLog(first: 50) { pageInfo { endCursor } } }";
    const { data } = (await gateway.graphql(ends, {}, { token: manager.token })).body;
    for (const [path, content, { pageInfo }] of [
      ["/api-keys", "the only one", data.apiKeys],
      ["/settings/audit-log", "created the organization", data.auditLog],
    ]) {
      for (const cursor of ["garbage", encodeURIComponent(pageInfo.endCursor)]) {
        const page = await dashboard.visit(`${path}?after=${cursor}`, { as: manager });
        await seen(page.getByText(content));
        await eventually(() => new URL(page.url()).search).toBe("");
        await eventually(() => page.getByRole("alert").count()).toBe(0);
      }
    }
  });

  test("changes by other members appear within seconds", async () => {
    const { gateway } = dashboard;
    const { id } = await mint(gateway, { name: "elsewhere" });
    const page = await dashboard.visit("/api-keys?search=elsewhere");
    await seen(rowOf(page, "elsewhere").getByText("Active"));
    await gateway.services.keys.revoke(await operator(gateway), id);
    await seen(rowOf(page, "elsewhere").getByText("Revoked"));
  });

  test("an organization without keys shows how to start", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "fresh");
    const page = await dashboard.visit("/api-keys", { as: manager });
    await seen(page.getByText("No API keys yet"));
    await page.getByRole("button", { name: "Create your first API key" }).click();
    await seen(dialogOf(page).getByLabel("Name"));
    await eventually(() => dialogOf(page).getByLabel("Agent").locator("option").allTextContents()).toEqual([
      "Agent of fresh",
      "None – manages the organization",
    ]);
  });

  test("an organization without agents learns how to add one", async () => {
    const { gateway } = dashboard;
    await gateway.services.organizations.create({ slug: "agentless", name: "Agentless" });
    const manager = await addMember(gateway, { org: "agentless", manage: true });
    const page = await dashboard.visit("/api-keys", { as: manager });
    await page.getByRole("button", { name: "Create your first API key" }).click();
    await seen(dialogOf(page).getByText("You need an agent before you can create a key."));
    await eventually(() => dialogOf(page).getByLabel("Name").count()).toBe(0);
    await eventually(() =>
      dialogOf(page).getByRole("link", { name: "Create an agent" }).getAttribute("href"),
    ).toBe("/dashboard/agents");
    await pressEnter(dialogOf(page).getByRole("link", { name: "Create an agent" }));
    await gone(dialogOf(page));
  });

  test("a member without config:manage sees neither the link nor the page", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway);
    const page = await dashboard.visit("/api-keys", { as: member });
    await seen(page.getByText("You don’t have access to this page"));
    const links = await page
      .getByRole("navigation", { name: "Dashboard" })
      .getByRole("link")
      .allTextContents();
    expect(links).toContain("Organization");
    expect(links).not.toContain("API keys");
    // Uses the session cookie, but bypasses the user interface.
    const rejected = await page.evaluate(async () => {
      const answer = await fetch("/graphql", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "{ apiKeys { nodes { name } } }" }),
      });
      return { status: answer.status, body: await answer.json() };
    });
    expect(rejected).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code: "forbidden" } }] },
    });
    await gateway.services.members.grantPermission(await operator(gateway), {
      memberId: member.id,
      permission: Permission.config_manage,
    });
    await seenInTime(page.getByRole("table", { name: "API keys" }));
  });

  test("the new key of a rotation is revoked, and the old one is kept", async () => {
    const { secret: old, id } = await mint(dashboard.gateway, { name: "hasty" });
    const context = await operator(dashboard.gateway);
    const rotate = () => dashboard.gateway.services.keys.rotate(context, { id, graceSeconds: 3600 });
    const { apiKey, secret } = await rotate();
    const page = await dashboard.visit(`/api-keys/${apiKey.id}`);
    await act(page, "hasty", "Revoke");
    await seen(dialogOf(page).getByText("If both stop working, no key from this rotation is left."));
    await eventually(() => dialogOf(page).getByLabel("Keep the old key").isChecked()).toBe(true);
    await dialogOf(page).getByRole("button", { name: "Revoke key" }).click();
    await gone(dialogOf(page));
    expect([(await whoami(old)).status, (await whoami(secret)).status]).toEqual([200, 403]);

    // If the new key is revoked without that choice, the old key's page offers it.
    const next = await rotate();
    await page.goto(`${dashboard.gateway.url}/dashboard/api-keys/${next.apiKey.id}`);
    await act(page, "hasty", "Revoke");
    await dialogOf(page).getByLabel("Keep the old key").uncheck();
    await dialogOf(page).getByRole("button", { name: "Revoke key" }).click();
    await gone(dialogOf(page));
    await page.goto(`${dashboard.gateway.url}/dashboard/api-keys/${id}`);
    await seen(page.getByText("expires in 1 hour. After that, no key from this rotation works."));
    await seen(page.getByRole("button", { name: "Rotate" }));
    await page.getByRole("button", { name: "Keep this key" }).click();
    await gone(page.getByText("no key from this rotation works"));
    await seen(page.getByText("Kept hasty."));
    expect((await dashboard.gateway.services.keys.find(context, id))?.expiresAt).toBeNull();
  });

  test("a new key can be revoked only once the old one is known or cannot be looked up", async () => {
    const { keys } = dashboard.gateway.services;
    const { id } = await mint(dashboard.gateway, { name: "slow" });
    const { apiKey } = await keys.rotate(await operator(dashboard.gateway), { id, graceSeconds: 3600 });
    const page = await dashboard.visit(`/api-keys/${apiKey.id}`);
    const revoke = dialogOf(page).getByRole("button", { name: "Revoke key" });
    const mayRevoke: boolean[] = [];
    let isLost = false;
    await page.route("**/graphql", async (route) => {
      if (!/query ReplacedKey\b/.test(route.request().postData() ?? "")) return route.continue();
      if (isLost) return route.abort();
      const response = await route.fetch();
      mayRevoke.push(await revoke.isEnabled());
      return route.fulfill({ response });
    });
    const unknown = dialogOf(page).getByText("could not check if this key replaces another one");
    await act(page, "slow", "Revoke");
    await seen(dialogOf(page).getByLabel("Keep the old key"));
    expect(mayRevoke[0]).toBe(false);
    await eventually(() => revoke.isEnabled()).toBe(true);
    await eventually(() => unknown.count()).toBe(0);

    isLost = true;
    await page.reload();
    await act(page, "slow", "Revoke");
    await seen(unknown);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("the page of a rotated key says whether it is still used, and from where", async () => {
    const { keys, usageRecorder } = dashboard.gateway.services;
    const { secret, id } = await mint(dashboard.gateway, { name: "followed" });
    await whoami(secret);
    await keys.rotate(await operator(dashboard.gateway), { id, graceSeconds: 3600 });
    const page = await dashboard.visit(`/api-keys/${id}`);
    await seen(page.getByText("It has not been used since the rotation, so you can revoke it."));
    await whoami(secret);
    await usageRecorder.flush({ all: true });
    await seenInTime(page.getByText("It is still used from 127.0.0.1, last "));
  });

  test("a key is created with limits, which its page shows and changes", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    const dialog = dialogOf(page);
    await dialog.getByLabel("Name").fill("limited");
    await dialog.getByLabel("Scopes").selectOption("Read-only");
    await dialog.getByText("Advanced").click();
    await dialog.getByLabel("Description").fill("For the trade fair");
    await dialog.getByLabel("Requests per minute").fill("60");
    await dialog.getByLabel("Allowed networks").fill("10.1.2.3/8\n127.0.0.0/8");
    await dialog.getByRole("button", { name: "Create API key" }).click();
    await seen(dialog.getByText("must be a network in CIDR notation"));
    await eventually(() => dialog.getByLabel("Description").inputValue()).toBe("For the trade fair");
    await dialog.getByLabel("Allowed networks").fill("10.0.0.0/8\n127.0.0.0/8");
    await dialog.getByRole("button", { name: "Create API key" }).click();
    const secret = await takeSecret(page);
    expect((await whoami(secret)).status).toBe(200);

    await rowOf(page, "limited").getByRole("link").click();
    await seen(page.getByRole("heading", { name: "limited" }));
    const details = page.getByRole("region", { name: "Details" });
    for (const text of [
      "For the trade fair",
      "60 requests per minute",
      "10.0.0.0/8, 127.0.0.0/8",
      "by owner@example.com",
    ])
      await seen(details.getByText(text));
    await seen(details.getByText("pets:read, agent:read, contacts:read, messages:read"));
    await seen(details.getByRole("link", { name: "First agent" }));
    await act(page, "limited", "Settings");
    await eventually(() => dialog.getByLabel("Requests per minute").inputValue()).toBe("60");
    await dialog.getByLabel("Allowed networks").fill("203.0.113.0/24");
    await dialog.getByLabel("Requests per minute").fill("");
    // Someone else changes another field while the form is open.
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const context = await operator(dashboard.gateway);
    await dashboard.gateway.services.keys.update(context, { id, description: "For all fairs" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await seen(details.getByText("203.0.113.0/24"));
    await seen(details.getByText("For all fairs"));
    await seen(details.getByText("Server default"));
    expect((await whoami(secret)).status).toBe(403);
    await seen(page.getByRole("region", { name: "History" }).getByText("changed the API key"));
  });

  test("the page of a key shows its requests and its history", async () => {
    const { gateway } = dashboard;
    const { id, secret } = await mint(gateway, { name: "busy" });
    const page = await dashboard.visit(`/api-keys/${id}`);
    await seen(page.getByText("No accepted requests in the last 30 days."));
    for (let i = 0; i < 4; i++) await whoami(secret);
    await gateway.services.keys.revoke(await operator(gateway), id);
    for (let i = 0; i < 3; i++) await whoami(secret);
    await gateway.services.usageRecorder.flush({ all: true });
    await page.reload();
    const requests = page.getByRole("region", { name: "Requests", exact: true });
    await seen(
      requests.getByText("4 accepted and 3 rejected in the last 24 hours. Something still uses this key."),
    );
    await eventually(() => requests.innerText()).toMatch(
      /Last rejected: just now from 127\.0\.0\.1 \(.+\)\./,
    );
    const rejections = requests.getByRole("link", { name: "View rejected requests" });
    await eventually(() => rejections.getAttribute("href")).toContain(`target=${id}&action=api_key_refused`);
    await requests.getByText("30 days").click();
    await seen(requests.getByText("4 accepted and 3 rejected in the last 30 days."));
    const recent = page.getByRole("region", { name: "Recent requests" });
    await eventually(() => recent.getByRole("row").nth(1).innerText()).toMatch(
      /^GET \/agent\/whoami\s+OK\s+127\.0\.0\.1\s+4\s+just now$/,
    );
    const history = page.getByRole("region", { name: "History" });
    await seen(history.getByText("revoked the API key"));
    await history.getByRole("link", { name: "View all in the audit log" }).click();
    await page.waitForURL(/target=/);
    await eventually(() => rejectedRequests(page)).toBe(3);

    await page.goto(`${gateway.url}/dashboard/api-keys?search=busy`);
    await seen(rowOf(page, "busy").getByText("Still in use"));
    await seen(
      page.getByRole("list", { name: "Needs attention" }).getByText("rejected in the last 24 hours"),
    );
  });

  test("keys that use deprecated features are called out, with the names", async () => {
    const { gateway } = dashboard;
    const { id, secret } = await mint(gateway, { name: "outdated" });
    await gateway.rest("GET", "/v1/pets/1", { token: secret });
    await gateway.graphql('{ pet(id: "1") { id } }', {}, { token: secret });
    await gateway.services.usageRecorder.flush({ all: true });
    const page = await dashboard.visit("/api-keys");
    const watched = page.getByRole("list", { name: "Needs attention" });
    await seen(watched.getByText("1 key uses deprecated features, most recently outdated."));
    await watched.getByRole("link", { name: "outdated" }).click();
    await page.waitForURL(new RegExp(id));
    await seen(
      page.getByText(
        "Uses deprecated features that will be removed on December 5, 2030: GET /v1/pets/{petId}, Query.pet.",
      ),
    );
  });

  test("keys that expire soon are called out, and can be listed alone", async () => {
    const { gateway } = dashboard;
    await mint(gateway, { name: "ends soon", expiresAt: new Date(Date.now() + 10 * 86_400_000) });
    await mint(gateway, { name: "ends late", expiresAt: new Date(Date.now() + 20 * 86_400_000) });
    const page = await dashboard.visit("/api-keys");
    await seen(rowOf(page, "ends soon").getByText("Expires soon"));
    await eventually(() => rowOf(page, "ends late").getByText("Expires soon").count()).toBe(0);
    await page
      .getByRole("list", { name: "Needs attention" })
      .getByRole("listitem")
      .filter({ hasText: "within 14 days" })
      .getByRole("link")
      .click();
    await gone(rowOf(page, "ends late"));
    await seen(rowOf(page, "ends soon"));
    await eventually(() => page.getByLabel("Status").inputValue()).toBe("expiring");
  });

  test("an ID without a key leads to a page that says so", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "curious");
    const { id } = await mint(gateway, { name: "not yours" });
    for (const unknown of [id, "nonsense", "%00"]) {
      const page = await dashboard.visit(`/api-keys/${unknown}`, { as: manager });
      await seen(page.getByRole("heading", { name: "API key not found" }));
      await eventually(() => page.getByText("not yours").count()).toBe(0);
    }
  });
});
