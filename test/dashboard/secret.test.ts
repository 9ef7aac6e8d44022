import type { Page } from "playwright-core";
import { PUBLIC_URL } from "../support/lines";
import { slowTest } from "../support/slow-test";
import { describeDashboard, dialogOf, eventually, gone, seen, seenInTime } from "./visit";

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

  slowTest("is copied, alone and in commands that show its agent and connect an MCP client", async () => {
    const page = await dashboard.visit("/api-keys?create=yes", { permissions });
    const secret = await create(page, "to copy");
    await dialogOf(page).getByRole("button", { name: "Copy the API key" }).click();
    await seen(dialogOf(page).getByRole("button", { name: "Copied" }));
    await eventually(() => clipboard(page)).toBe(secret);
    await dialogOf(page).getByRole("button", { name: "Copy the command" }).click();
    await seen(dialogOf(page).getByRole("button", { name: "Copied" }));
    await eventually(() => clipboard(page)).toBe(
      `curl -H "Authorization: Bearer ${secret}" ${dashboard.gateway.url}/agent/whoami`,
    );
    await seen(
      dialogOf(page).getByText(`${dashboard.gateway.url}/mcp --header "Authorization: Bearer ${secret}"`),
    );
  });

  /** Where and how each secret is created, and a text that the page still shows afterwards. */
  const MADE = {
    "API key": {
      path: "/api-keys?create=yes",
      left: "gone",
      make: (page: Page) => dialogOf(page).getByLabel("Name").fill("gone"),
    },
    link: {
      path: "/settings/members",
      left: "gone@example.com",
      make: async (page: Page) => {
        await page.getByRole("button", { name: "Invite member" }).click();
        await dialogOf(page).getByLabel("E-mail").fill("gone@example.com");
      },
    },
    "signing secret": {
      path: "/webhooks?create=yes",
      left: PUBLIC_URL,
      make: (page: Page) => dialogOf(page).getByLabel("URL").fill(PUBLIC_URL),
    },
  };

  describe.each(Object.entries(MADE))("(%s)", (name, { path, left, make }) => {
    slowTest(
      "is not found anywhere after its dialog is closed: page, address, storage, caches, memory",
      async () => {
        const page = await dashboard.visit(path, { permissions });
        await make(page);
        await page.keyboard.press("Enter");
        const copy = dialogOf(page).getByRole("button", { name: `Copy the ${name}` });
        await seen(copy);
        const secret = (await dialogOf(page).locator("pre").first().textContent()) ?? "";
        expect(secret).toMatch(/(agk_|agi_|whsec_)\S{20}/);
        // Proves that the search finds it while it is shown.
        expect(await page.content()).toContain(secret);
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
        // The query cache, and everything else that a script on the page could reach.
        expect(await inHeap(page, [left, secret])).toEqual([true, false]);
      },
    );
  });
});

describeDashboard("a password being typed", (dashboard) => {
  slowTest("is not kept in memory when the session ends, even if it was shown", async () => {
    const page = await dashboard.visit("/settings/profile");
    await page.getByRole("button", { name: "Change password…" }).click();
    await dialogOf(page).getByLabel("New password", { exact: true }).fill("half a new password");
    await dialogOf(page).getByRole("button", { name: "Show the new password" }).click();
    await page.context().clearCookies();
    await seenInTime(page.getByRole("heading", { name: "Sign in" }));
    expect(await inHeap(page, ["Sign in", "half a new password"])).toEqual([true, false]);
  });
});

/** Returns true for each text that the heap of a page contains after garbage collection. */
async function inHeap(page: Page, texts: readonly string[]): Promise<boolean[]> {
  const session = await page.context().newCDPSession(page);
  let snapshot = "";
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => {
    snapshot += chunk;
  });
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  return texts.map((text) => snapshot.includes(text));
}
