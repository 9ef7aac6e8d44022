import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { describeDashboard, gone, seen } from "./visit";

describeDashboard("the audit log", (dashboard) => {
  const sentences = (page: Page) => page.getByRole("list", { name: "Entries" }).locator("li > p");

  /** Presses the button and reads the file: its lines, with the cells of each. */
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

  test("tells in sentences who did what, with the exact time and its zone", async () => {
    const { gateway } = dashboard;
    const { manager, agentId } = await addOrganization(gateway, "storytellers");
    const as = { token: manager.token };
    const created = await gateway.graphql(
      `mutation { createApiKey(input: { agentId: "${agentId}", name: "billing" }) { apiKey { id } } }`,
      {},
      as,
    );
    await gateway.graphql(
      `mutation { revokeApiKey(id: "${created.body.data.createApiKey.apiKey.id}") { id } }`,
      {},
      as,
    );
    const page = await dashboard.visit("/audit-log", {
      as: manager,
      timezoneId: "Asia/Kolkata",
      locale: "en-GB",
    });
    await seen(page.getByText(`${manager.email} revoked the API key billing`));
    expect(await sentences(page).allTextContents()).toEqual([
      `${manager.email} signed in`,
      `${manager.email} revoked the API key billing`,
      `${manager.email} created the API key billing`,
      `${manager.email} signed in`,
      `The command line added the member ${manager.email}`,
      "The command line added the agent storytellers-agent",
      "The command line created the organization storytellers",
    ]);
    await seen(
      page
        .getByText("Times are in Asia/Calcutta (UTC+05:30).")
        .or(page.getByText("Asia/Kolkata (UTC+05:30)")),
    );
    const entry = page.getByRole("listitem").filter({ hasText: "revoked the API key billing" });
    const time = entry.locator("time");
    expect(await time.textContent()).toBe("just now");
    expect(await time.getAttribute("dateTime")).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await entry.textContent()).toMatch(/\d\d:\d\d:\d\d/);
    await entry.getByText("Details").click();
    await seen(entry.getByText("Request id"));
  });

  test("is filtered by what, who, when and subject, and the address keeps that", async () => {
    const { gateway } = dashboard;
    const member = await addMember(gateway, { manage: true });
    const { id } = await mint(gateway, { name: "followed" });
    await gateway.services.keys.revoke(await operator(gateway), id);
    const page = await dashboard.visit("/audit-log", { as: member });
    await page.getByLabel("What").selectOption("API key revoked");
    await gone(page.getByText("The command line created the API key followed"));
    await seen(page.getByText("The command line revoked the API key followed"));
    await page.getByLabel("Who").selectOption(member.email);
    await seen(page.getByText("No entry matches"));
    await page.getByLabel("What").selectOption("Signed in");
    await seen(page.getByText(`${member.email} signed in`).first());
    await page.reload();
    await seen(page.getByText(`${member.email} signed in`).first());
    await page.getByRole("button", { name: "Clear" }).click();
    await seen(page.getByText("The command line revoked the API key followed"));

    await page.getByLabel("When").selectOption("From … to …");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await seen(page.getByText("No entry matches"));
    await page.getByLabel("From", { exact: true }).fill("2020-01-02");
    await seen(page.getByText("The period ends before it begins"));
    await page.getByLabel("When").selectOption("Last 24 hours");
    await seen(page.getByText("The command line revoked the API key followed"));

    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("link", { name: "History of followed" }).click();
    await seen(page.getByText("Only what was done to followed."));
    expect(await sentences(page).allTextContents()).toEqual([
      "The command line revoked the API key followed",
      "The command line created the API key followed",
    ]);
  });

  test("says what a key was renamed to, on the page and in the file", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "renamers");
    const { id } = await mint(gateway, { agent: "renamers-agent", name: "old, now older" });
    await gateway.services.keys.rename(await operator(gateway, "renamers"), { id, name: "new, now newer" });
    const page = await dashboard.visit("/audit-log?action=api_key_renamed", { as: manager });
    const told = "The command line renamed the API key old, now older to new, now newer";
    await seen(page.getByText(told));
    const [, line] = await exported(page);
    expect(line).toContain(`${told}.`);
  });

  test("is shown in full at an address with a filter that does not exist", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "bookmarkers");
    const page = await dashboard.visit("/audit-log?action=bogus", { as: manager });
    await seen(page.getByText("The command line created the organization bookmarkers"));
    expect(await page.getByLabel("What").inputValue()).toBe("");
  });

  test("is exported in full, however many pages it has, with nothing that a spreadsheet would run", async () => {
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
        "mutation ($input: NewApiKey!) { createApiKey(input: $input) { secret } }",
        { input: { agentId, name } },
        { token: manager.token },
      );
    }
    for (let i = 0; i < 105; i++) await mint(gateway, { agent: "spreadsheets-agent", name: `bulk ${i}` });
    const page = await dashboard.visit("/audit-log", { as: manager });
    const [headings, ...lines] = await exported(page);
    await seen(page.getByText(`Exported ${lines.length} entries.`));
    // Organization, agent, member, two sign-ins, and the keys.
    expect(lines).toHaveLength(5 + evil.length + 105);
    const target = headings?.indexOf("target") ?? -1;
    const names = lines.map((line) => line[target]?.replaceAll('""', '"'));
    for (const name of evil) expect(names).toContain(/^[=+\-@]/.test(name) ? `'${name}` : name);
    expect(lines.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([headings?.length]));

    await page.getByLabel("What").selectOption("Agent added");
    await seen(page.getByText("added the agent"));
    expect(await exported(page)).toHaveLength(1 + 1);
  });

  test("is not for members without config:manage", async () => {
    const page = await dashboard.visit("/audit-log", { as: await addMember(dashboard.gateway) });
    await seen(page.getByText("This page is for members who manage the organization"));
  });
});
