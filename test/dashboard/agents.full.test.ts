import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { describeDashboard, dialogOf, eventually, follow, gone, rowOf, seen } from "./visit";

describeDashboard("the agents", (dashboard) => {
  test("are created, renamed and deleted by a manager, who types the slug", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "shop");
    const page = await dashboard.visit("/agents", { as: manager });
    await seen(rowOf(page, "Agent of shop"));
    await page.getByRole("button", { name: "Create agent" }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel("Name").fill("Möbel & Décor!");
    await eventually(() => dialog.getByLabel("Slug").inputValue()).toBe("mobel-decor");
    await dialog.getByLabel("Name").fill("Support desk");
    await eventually(() => dialog.getByLabel("Slug").inputValue()).toBe("support-desk");
    await dialog.getByLabel("Slug").fill("shop-agent");
    await page.keyboard.press("Enter");
    // The name stays, so only the slug has to be typed again.
    await seen(dialog.locator("[id$=error]"));
    await eventually(() => dialog.getByLabel("Name").inputValue()).toBe("Support desk");
    await dialog.getByLabel("Name").fill("Support  desk");
    await eventually(() => dialog.getByLabel("Slug").inputValue()).toBe("shop-agent");
    await dialog.getByLabel("Name").fill("Support desk");
    await dialog.getByLabel("Slug").fill("support-desk");
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Support desk", level: 1 }));
    await seen(page.getByRole("table", { name: "Lines" }).getByText("main"));
    await seen(page.getByRole("region", { name: "Configuration" }).getByText("Live version"));
    // Back leads to the list, and not to an empty form.
    await page.goBack();
    await seen(rowOf(page, "Support desk"));
    expect(new URL(page.url()).search).toBe("");
    await page.goForward();

    await page.getByRole("button", { name: "Actions for Support desk" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    await dialog.getByLabel("New name").fill("Help desk");
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Help desk", level: 1 }));

    await mint(gateway, { agent: "support-desk", name: "in use" });
    const remove = async () => {
      await page.getByRole("button", { name: "Actions for Help desk" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await dialog.getByLabel("Type support-desk to confirm").fill("support-desk");
      await page.keyboard.press("Enter");
    };
    await remove();
    await seen(dialog.getByRole("alert").getByText(/active/));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await gone(dialog);
    const { body } = await gateway.graphql(
      `{ apiKeys(search: "in use") { nodes { id } } }`,
      {},
      { token: manager.token },
    );
    await gateway.graphql(
      "mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { id } }",
      { id: body.data.apiKeys.nodes[0].id },
      { token: manager.token },
    );
    await remove();
    await seen(page.getByRole("heading", { name: "Agents", level: 1 }));
    await gone(rowOf(page, "Help desk"));
    await page.goBack();
    await seen(page.getByText("This agent doesn’t exist"));
  });

  test("lead from the list to a page with keys, lines and decisions", async () => {
    const { gateway } = dashboard;
    await mint(gateway, { name: "for the page of the agent" });
    await gateway.rest("POST", "/agent/decisions", {
      body: { situation: { type: "order.shipped", data: { orderId: "1" } } },
    });
    const page = await dashboard.visit("/agents");
    const cells = rowOf(page, "First agent").getByRole("cell");
    await eventually(async () => (await cells.allInnerTexts()).slice(0, 4)).toEqual([
      "First agent\n\nfirst-agent",
      "2",
      "1",
      "1",
    ]);
    await seen(cells.nth(4).getByRole("link").getByText("just now"));
    await page.getByRole("link", { name: "First agent" }).click();
    await seen(rowOf(page, "for the page of the agent"));
    await seen(rowOf(page, "main").getByText("Default"));
    await seen(page.getByRole("region", { name: "Recent decisions" }).getByText("order.shipped"));
    const configuration = page.getByRole("region", { name: "Configuration" });
    await seen(configuration.getByText("by CLI"));
    await eventually(() =>
      configuration.getByRole("link", { name: "Open configuration" }).getAttribute("href"),
    ).toMatch(/\/configuration\?agent=/);
  });

  test("lead to a new API key, which is for the agent of the page and the list", async () => {
    const { gateway } = dashboard;
    const { manager } = await addOrganization(gateway, "pair");
    const context = await operator(gateway, "pair");
    const { id } = await gateway.services.agents.create(context, { slug: "second", name: "Second" });
    const page = await dashboard.visit(`/agents/${id}`, { as: manager });
    const agent = dialogOf(page).getByLabel("Agent", { exact: true });
    await page.getByRole("link", { name: "Create API key" }).click();
    await eventually(() => agent.inputValue()).toBe(id);
    await follow(page, "/api-keys?agent=organization");
    await page.getByRole("button", { name: "Create API key", exact: true }).click();
    await seen(dialogOf(page).getByText("Programs that use this key can manage the organization"));
    await eventually(() => agent.inputValue()).toBe("");
  });

  test("are read-only for a member without permissions, who sees no keys and lines", async () => {
    const viewer = await addMember(dashboard.gateway);
    const page = await dashboard.visit("/agents", { as: viewer });
    await rowOf(page, "First agent").getByRole("link").click();
    await seen(page.getByRole("region", { name: "About" }).getByText("first-agent"));
    await eventually(() => page.getByRole("button", { name: /^(Create|Actions)/ }).count()).toBe(0);
    await eventually(() => page.getByRole("region").count()).toBe(1);
  });
});
