import type { Page } from "playwright-core";
import { mintSessionToken } from "../../src/credentials/token-format";
import { mint, operator } from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { act, describeDashboard, dialogOf, eventually, gone, rowOf, seen } from "./visit";

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

  test("a key is created, works, and appears immediately, including in other tabs", async () => {
    const page = await dashboard.visit("/api-keys");
    const other = await page.context().newPage();
    await other.goto(page.url());
    await seen(rowOf(other, "First key"));
    // A tab in the background draws one frame per second, and a click waits for frames.
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
    await eventually(() => row.textContent()).toContain(secret.split("_").slice(0, 3).join("_"));
  });

  slowTest("a key can be limited to some scopes, which its dialogs show", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    await dialogOf(page).getByLabel("Name").fill("reads pets");
    await dialogOf(page).getByLabel("Scopes").selectOption("Only some…");
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    await seen(dialogOf(page).getByText("at least one scope"));
    await dialogOf(page).getByLabel("pets:read").check();
    await dialogOf(page).getByLabel("messages:read").check();
    await dialogOf(page).getByRole("button", { name: "Create API key" }).click();
    const token = await takeSecret(page);
    const { body } = await dashboard.gateway.graphql("{ whoami { key { scopes } } }", {}, { token });
    expect(body.data.whoami.key.scopes).toEqual(["pets_read", "messages_read"]);
    await act(page, "reads pets", "Revoke");
    await seen(dialogOf(page).getByText("pets:read, messages:read"));
  });

  test("a revoked key is rejected on its next request", async () => {
    const { secret } = await mint(dashboard.gateway, { name: "to be revoked" });
    expect((await whoami(secret)).status).toBe(200);
    const page = await dashboard.visit("/api-keys?search=to+be+revoked");
    await act(page, "to be revoked", "Revoke");
    const dialog = dialogOf(page);
    await seen(dialog.getByRole("heading", { name: "Revoke “to be revoked”?" }));
    await eventually(() => dialog.textContent()).toMatch(
      /Anything using this key will immediately get a 403 error/,
    );
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await gone(dialog);
    expect((await whoami(secret)).status).toBe(200);

    await act(page, "to be revoked", "Revoke");
    const answered = page.waitForResponse(
      (answer) => answer.request().postData()?.includes("revokeApiKey") === true,
    );
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await answered;
    expect(await whoami(secret)).toMatchObject({ status: 403, body: { code: "key_revoked" } });
    await seen(rowOf(page, "to be revoked").getByText("Revoked"));
    await seen(page.getByRole("status").getByText("Revoked to be revoked."));
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
      "Actions for to be revoked",
    );
  });

  test("a key is rotated, and both are accepted for the grace period", async () => {
    const { secret: old, hint } = await mint(dashboard.gateway, { name: "to be rotated" });
    const page = await dashboard.visit("/api-keys?search=to+be+rotated");
    await act(page, "to be rotated", "Rotate");
    await dialogOf(page).getByLabel("Keep the old key working for").selectOption("24 hours");
    await dialogOf(page).getByRole("button", { name: "Rotate key" }).click();
    const secret = await takeSecret(page);
    expect(secret).not.toBe(old);
    expect([(await whoami(old)).status, (await whoami(secret)).status]).toEqual([200, 200]);
    await seen(rowOf(page, hint).getByText("Rotating"));
    await seen(rowOf(page, hint).getByText("expires in 24 hours"));
    // A replaced key cannot be rotated again.
    await rowOf(page, hint).getByRole("button", { name: "Actions for" }).click();
    await seen(page.getByRole("menuitem", { name: "Revoke" }));
    await eventually(() => page.getByRole("menuitem").allTextContents()).toEqual(["History", "Revoke…"]);
  });

  slowTest("the list is searched and filtered, and the URL keeps the filters", async () => {
    const { gateway } = dashboard;
    const { id } = await mint(gateway, { name: "crm 100%" });
    await mint(gateway, { name: "crm staging" });
    await gateway.services.keys.revoke(await operator(gateway), id);
    const page = await dashboard.visit("/api-keys");
    await seen(rowOf(page, "First key"));
    await page.getByLabel("Search by name or key prefix").fill("CRM ");
    await page.waitForURL(/search=CRM/);
    await gone(rowOf(page, "First key"));
    // The space may be the start of another word.
    await eventually(() => page.getByLabel("Search by name or key prefix").inputValue()).toBe("CRM ");
    await seen(rowOf(page, "crm staging"));
    await page.getByLabel("Status").selectOption("Revoked");
    await gone(rowOf(page, "crm staging"));
    await seen(rowOf(page, "crm 100%"));
    await page.reload();
    await seen(rowOf(page, "crm 100%"));
    await eventually(() => page.getByLabel("Search by name or key prefix").inputValue()).toBe("CRM");
    await page.getByLabel("Search by name or key prefix").fill("nothing like it");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await seen(rowOf(page, "First key"));
    await page.goBack();
    await seen(page.getByText("No matching API keys"));
  });

  /** Collects everything that the page sends from now on: its addresses, and its requests with their bodies. */
  const leavingOf = (page: Page): string[] => {
    const leaving: string[] = [];
    page.on("framenavigated", (frame) => leaving.push(frame.url()));
    page.on("request", (request) => leaving.push(`${request.url()} ${request.postData()}`));
    return leaving;
  };

  slowTest(
    "a whole key pasted into the search is found by its prefix, is sent nowhere, and can be revoked",
    async () => {
      const { secret, hint } = await mint(dashboard.gateway, { name: "found on a website" });
      const page = await dashboard.visit("/api-keys?state=expired");
      const search = page.getByLabel("Search by name or key prefix");
      await seen(page.getByText("No matching API keys"));
      const leaving = leavingOf(page);
      await search.fill(`Authorization: Bearer ${secret}`);
      await eventually(() => search.inputValue()).toBe(hint);
      await seen(rowOf(page, "found on a website"));
      await gone(rowOf(page, "First key"));
      await page.getByRole("alert").getByRole("button", { name: "Revoke found on a website…" }).click();
      await dialogOf(page).getByRole("button", { name: "Revoke key" }).click();
      await seen(page.getByRole("alert").getByText("It is revoked and no longer works."));
      expect(await whoami(secret)).toMatchObject({ status: 403, body: { code: "key_revoked" } });
      expect(leaving.filter((text) => text.includes(hint))).not.toEqual([]);
      expect(leaving.filter((text) => text.includes(`${hint}_`))).toEqual([]);

      await search.fill(`agk_dev_${"A".repeat(12)}_${"B".repeat(28)}`);
      await seen(page.getByRole("alert").getByText("No key in this organization has this prefix."));
      await search.fill("First");
      await seen(rowOf(page, "First key"));
      await gone(page.getByRole("alert"));
    },
  );

  slowTest(
    "no secret that is pasted into a filter, Go to, or the address of a page is sent anywhere",
    async () => {
      const { secret: key, hint } = await mint(dashboard.gateway, { name: "pasted everywhere" });
      const session = mintSessionToken();
      const page = await dashboard.visit("/contacts");
      const filters = page.getByRole("search").getByRole("textbox").or(page.getByRole("searchbox"));
      const leaving = leavingOf(page);
      for (const path of ["/contacts", "/api-keys"]) {
        for (const secret of [key, session]) {
          await page.goto(`${dashboard.gateway.url}/dashboard${path}`);
          await seen(filters);
          for (const filter of await filters.all()) {
            await filter.fill(secret);
            await filter.press("Enter");
          }
          await page.waitForLoadState("networkidle");
        }
      }
      await seen(page.getByText("That was a session token."));
      await page.goto(`${dashboard.gateway.url}/dashboard/contacts`);
      await page.getByRole("searchbox").fill(key);
      await page.getByRole("link", { name: "Find the key" }).click();
      await seen(page.getByRole("button", { name: "Revoke pasted everywhere…" }));
      await page.getByRole("button", { name: "Go to…" }).click();
      await dialogOf(page).getByRole("combobox").fill(session);
      await seen(dialogOf(page).getByText("That was a session token."));
      await dialogOf(page).getByRole("combobox").fill(key);
      await seen(dialogOf(page).getByRole("option", { name: "Find the pasted API key" }));
      await page.keyboard.press("Enter");
      await seen(page.getByRole("button", { name: "Revoke pasted everywhere…" }));
      const tail = key.slice(hint.length + 1);
      const has = (secret: string) =>
        leaving.filter((text) => text.toLowerCase().includes(secret.toLowerCase()));
      expect([...has(tail), ...has(session)]).toEqual([]);

      await page.goto(`${dashboard.gateway.url}/dashboard/api-keys?search=${key}#here`);
      await seen(rowOf(page, "pasted everywhere"));
      await eventually(() => page.url()).toBe(
        `${dashboard.gateway.url}/dashboard/api-keys?search=${hint}#here`,
      );
    },
  );
});
