import type { Page } from "playwright-core";
import { PUBLIC_URL } from "../support/lines";
import { addMember } from "../support/people";
import { describeDashboard, dialogOf, gone, rowOf, seen, seenInTime } from "./visit";

describeDashboard("the secret of a new key", (dashboard) => {
  /** Mints a key on the page. @returns the secret that the dialog shows */
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

  test("is copied, alone and within a command that tells which agent it is", async () => {
    const page = await dashboard.visit("/api-keys?create=yes", { permissions });
    const secret = await create(page, "to copy");
    await dialogOf(page).getByRole("button", { name: "Copy the API key" }).click();
    await seen(dialogOf(page).getByRole("button", { name: "Copied" }));
    expect(await clipboard(page)).toBe(secret);
    await dialogOf(page).getByRole("button", { name: "Copy the command" }).click();
    await seen(dialogOf(page).getByRole("button", { name: "Copied" }));
    expect(await clipboard(page)).toBe(
      `curl -H "Authorization: Bearer ${secret}" ${dashboard.gateway.url}/agent/whoami`,
    );
  });

  test("is copied too where the browser keeps the clipboard from pages", async () => {
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
    expect(await clipboard(reader)).toBe(secret);
  });

  test("is shown within its dialog, however long the key's name", async () => {
    const page = await dashboard.visit("/api-keys?create=yes");
    await create(page, "x".repeat(100));
    const wider = await dialogOf(page).evaluate((dialog) => {
      const { right } = dialog.getBoundingClientRect();
      return [...dialog.querySelectorAll("*")].filter((part) => part.getBoundingClientRect().right > right)
        .length;
    });
    expect(wider).toBe(0);
  });

  test("does not close uncopied without a confirmation", async () => {
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
    expect(await dialogOf(page).locator("pre").first().textContent()).toBe(secret);
    await dialogOf(page).getByRole("button", { name: "Close without copying" }).click();
    await gone(dialogOf(page));
  });

  test("counts as copied when its text is", async () => {
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
    await gateway.graphql("mutation { signOutEverywhere }", {}, { token: member.token });
    await seenInTime(page.getByText("Your session has expired."));
    expect(await dialogOf(page).locator("pre").first().textContent()).toBe(secret);
  });

  /** Where secrets are made, and how. */
  const MADE = {
    "API key": {
      path: "/api-keys?create=yes",
      make: (page: Page) => dialogOf(page).getByLabel("Name").fill("gone"),
    },
    link: {
      path: "/settings/members",
      make: async (page: Page) => {
        await page.getByRole("button", { name: "Invite member" }).click();
        await dialogOf(page).getByLabel("Email").fill("gone@example.com");
      },
    },
    "signing secret": {
      path: "/webhooks?create=yes",
      make: (page: Page) => dialogOf(page).getByLabel("URL").fill(PUBLIC_URL),
    },
  };

  test.each(Object.entries(MADE))(
    "is not found anywhere after its dialog is closed: page, address, storage, caches, memory (%s)",
    async (name, { path, make }) => {
      const page = await dashboard.visit(path, { permissions });
      await make(page);
      await page.keyboard.press("Enter");
      const copy = dialogOf(page).getByRole("button", { name: `Copy the ${name}` });
      await seen(copy);
      const secret = (await dialogOf(page).locator("pre").first().textContent()) ?? "";
      expect(secret).toMatch(/(agk_|agi_|whsec_)\S{20}/);
      // Proves that the search finds it while it is shown.
      expect(await page.content()).toContain(secret);
      expect(await heapHolds(page, secret)).toBe(true);
      await copy.click();
      await seen(dialogOf(page).getByText("Copied").first());
      await dialogOf(page).getByRole("button", { name: "Done" }).click();
      await gone(dialogOf(page));

      expect(await page.content()).not.toContain(secret);
      const kept = await page.evaluate(async () =>
        JSON.stringify({
          fields: [...document.querySelectorAll("input, textarea")].map(
            (field) => (field as HTMLInputElement).value,
          ),
          address: location.href,
          history: history.state,
          name: window.name,
          cookie: document.cookie,
          local: { ...localStorage },
          session: { ...sessionStorage },
          databases: await indexedDB.databases(),
          caches: await caches.keys(),
          workers: (await navigator.serviceWorker.getRegistrations()).length,
        }),
      );
      expect(kept).toContain('"databases":[],"caches":[],"workers":0');
      expect(kept).not.toContain(secret);
      expect(JSON.stringify(await page.context().storageState())).not.toContain(secret);
      // The query cache, and everything else that a script of the page could reach.
      expect(await heapHolds(page, secret)).toBe(false);
    },
  );
});

/** Whether the heap of a page holds a text after garbage collection. */
async function heapHolds(page: Page, text: string): Promise<boolean> {
  const session = await page.context().newCDPSession(page);
  let snapshot = "";
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => {
    snapshot += chunk;
  });
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  return snapshot.includes(text);
}
