import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { act, describeDashboard, eventually, gone, seen } from "./visit";

describeDashboard("the audit log", (dashboard) => {
  const sentences = (page: Page) => page.getByRole("list", { name: "Entries" }).locator("summary > span");

  /**
   * Exports the log.
   * @returns the cells of each line
   */
  const exported = async (page: Page): Promise<string[][]> => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export as CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^audit-log-[\w-]+-\d{4}-\d\d-\d\d\.csv$/);
    const text = await readFile(await download.path(), "utf8");
    expect(text.startsWith("\ufeff")).toBe(true);
    return text
      .slice(1)
      .trimEnd()
      .split("\r\n")
      .map((line) =>
        [...line.matchAll(/"((?:[^"]|"")*)"|(\d+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ""),
      );
  };

  test("describes each entry in a sentence, with the exact time and its zone", async () => {
    const { gateway } = dashboard;
    const { manager, agentId } = await addOrganization(gateway, "storytellers");
    const as = { token: manager.token };
    const created = await gateway.graphql(
      `mutation { createApiKey(input: { agentId: "${agentId}", name: "billing" }) { apiKey { id } } }`,
      {},
      as,
    );
    await gateway.graphql(
      `mutation { revokeApiKey(input: { id: "${created.body.data.createApiKey.apiKey.id}" }) { id } }`,
      {},
      as,
    );
    const page = await dashboard.visit("/settings/audit-log", {
      as: manager,
      timezoneId: "Asia/Kolkata",
      locale: "en-GB",
    });
    await seen(page.getByText(`${manager.email} revoked the API key billing`));
    await eventually(() => sentences(page).allTextContents()).toEqual([
      `${manager.email} signed in`,
      `${manager.email} revoked the API key billing`,
      `${manager.email} created the API key billing`,
      `${manager.email} signed in`,
      `CLI added the member ${manager.email}`,
      "CLI created the line main",
      "CLI added the agent storytellers-agent",
      "CLI created the organization storytellers",
    ]);
    const entry = page.getByRole("listitem").filter({ hasText: "revoked the API key billing" });
    const time = entry.locator("time");
    await eventually(() => time.textContent()).toBe("just now");
    await eventually(() => time.getAttribute("dateTime")).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    await entry.locator("summary").click();
    await seen(entry.getByText("Request ID"));
    await eventually(() => entry.textContent()).toMatch(/\d\d:\d\d:\d\d (GMT\+5:30|IST)/);
  });

  test("is filtered by action, actor, date and target, and the URL keeps the filters", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { manage: true });
    const { id } = await mint(gateway, { name: "followed" });
    await gateway.services.keys.revoke(await operator(gateway), id);
    const page = await dashboard.visit("/settings/audit-log", { as: member, timezoneId: "Asia/Kolkata" });
    await page.getByLabel("Action").selectOption("API key revoked");
    await gone(page.getByText("CLI created the API key followed"));
    await seen(page.getByText("CLI revoked the API key followed"));
    await page.getByLabel("Actor").selectOption(member.email);
    await seen(page.getByText("No matching activity"));
    await page.getByLabel("Action").selectOption("Signed in");
    await seen(page.getByText(`${member.email} signed in`).first());
    await page.reload();
    await seen(page.getByText(`${member.email} signed in`).first());
    await page.getByRole("button", { name: "Clear" }).click();
    await seen(page.getByText("CLI revoked the API key followed"));

    await page.getByLabel("Date").selectOption("Custom range");
    await seen(page.getByText(/^Days are in Asia\/(Calcutta|Kolkata) \(UTC\+05:30\)\.$/));
    const historyLength = () => page.evaluate(() => history.length);
    const before = await historyLength();
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await seen(page.getByText("No matching activity"));
    await page.getByLabel("From", { exact: true }).fill("2020-01-02");
    await seen(page.getByText("The start date is after the end date"));
    expect(await historyLength()).toBe(before);
    await page.getByLabel("Date").selectOption("Last 24 hours");
    await seen(page.getByText("CLI revoked the API key followed"));

    await page.getByRole("link", { name: "API keys" }).click();
    await act(page, "followed", "History");
    await seen(page.getByText("Target: followed"));
    await eventually(() => sentences(page).allTextContents()).toEqual([
      "CLI revoked the API key followed",
      "CLI created the API key followed",
    ]);
    await page.getByRole("button", { name: "Clear the target filter" }).click();
    await seen(page.getByText("CLI created the organization"));
    await eventually(() => new URL(page.url()).search).toBe("");
  });

  test("shows the new name of a renamed key, on the page and in the file, and links a rotated key to the new one", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "renamers");
    const { id } = await mint(gateway, { agent: "renamers-agent", name: "old, now older" });
    await gateway.services.keys.update(await operator(gateway, "renamers"), { id, name: "new, now newer" });
    const page = await dashboard.visit("/settings/audit-log?action=api_key_renamed", { as: manager });
    const sentence = "CLI renamed the API key old, now older to new, now newer";
    await seen(page.getByText(sentence));
    const [, line] = await exported(page);
    expect(line).toContain(`${sentence}.`);

    const { apiKey } = await gateway.services.keys.rotate(await operator(gateway, "renamers"), {
      id,
      graceSeconds: 60,
    });
    await page.getByLabel("Action").selectOption("API key rotated");
    await page.getByText("CLI rotated the API key new, now newer").click();
    await page.getByRole("link", { name: apiKey.id }).click();
    await eventually(() => new URL(page.url()).pathname).toBe(`/dashboard/api-keys/${apiKey.id}`);
  });

  test("is shown in full at an address with an unknown filter", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "bookmarkers");
    const page = await dashboard.visit("/settings/audit-log?action=bogus", { as: manager });
    await seen(page.getByText("CLI created the organization bookmarkers"));
    await eventually(() => page.getByLabel("Action").inputValue()).toBe("");
  });

  test("filtered by a removed member, says so", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "leavers");
    const leaver = await addMember(gateway, { org: "leavers" });
    await gateway.services.members.remove(await operator(gateway, "leavers"), leaver.id);
    const page = await dashboard.visit(`/settings/audit-log?actor=${leaver.id}`, { as: manager });
    await seen(page.getByText(`${leaver.email} signed in`));
    await eventually(() => page.getByLabel("Actor").locator("option:checked").textContent()).toBe(
      "A former member",
    );
    await eventually(() => page.getByText(`${manager.email} signed in`).count()).toBe(0);
  });

  test("is exported in full, however many pages it has, and without formulas that a spreadsheet would run", async () => {
    const { gateway } = dashboard;
    const { manager, agentId } = await addOrganization(gateway, "spreadsheets");
    const evil = [
      '=HYPERLINK("http://evil.example","x")',
      "+1+1",
      "-2+3",
      "@SUM(A1)",
      'with "quotes", and commas',
    ];
    for (const name of evil) {
      await gateway.graphql(
        "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }",
        { input: { agentId, name } },
        { token: manager.token },
      );
    }
    for (let i = 0; i < 105; i++) await mint(gateway, { agent: "spreadsheets-agent", name: `bulk ${i}` });
    const page = await dashboard.visit("/settings/audit-log", { as: manager });
    const [headings, ...lines] = await exported(page);
    await seen(page.getByText(`Exported ${lines.length} entries.`));
    // Organization, agent, line, member, two sign-ins, and the keys.
    expect(lines).toHaveLength(6 + evil.length + 105);
    const target = headings?.indexOf("target") ?? -1;
    const names = lines.map((line) => line[target]?.replaceAll('""', '"'));
    for (const name of evil) expect(names).toContain(/^[=+\-@]/.test(name) ? `'${name}` : name);
    expect(lines.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([headings?.length]));

    await page.getByLabel("Action").selectOption("Agent added");
    await seen(page.getByText("added the agent"));
    expect(await exported(page)).toHaveLength(1 + 1);
  });

  test("is not for members without config:manage", async () => {
    const page = await dashboard.visit("/settings/audit-log", { as: await addMember(dashboard.gateway) });
    await seen(page.getByText("You don’t have access to this page"));
  });
});
