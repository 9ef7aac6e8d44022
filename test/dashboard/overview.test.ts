import { mint, operator } from "../support/gateway";
import { addMember, addOrganization } from "../support/people";
import { describeDashboard, rowOf, seen, seenInTime, turnBackTo } from "./visit";

describeDashboard("the overview", (dashboard) => {
  const call = (token: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, () => dashboard.gateway.rest("GET", "/agent/whoami", { token })),
    );

  test("guides a new organization through onboarding and marks completed steps", async () => {
    const { gateway } = dashboard;
    const { manager, agentId } = await addOrganization(gateway, "beginner");
    const page = await dashboard.visit("", { as: manager });
    const steps = page.getByRole("region", { name: "Get started" });
    await seen(steps.getByText("0 of 4 done"));
    await steps.getByRole("link", { name: "Create API key →" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("first");
    await page.keyboard.press("Escape");
    const minted = await gateway.graphql(
      "mutation ($input: NewApiKey!) { createApiKey(input: $input) { secret } }",
      { input: { agentId, name: "first" } },
      { token: manager.token },
    );
    const { secret } = minted.body.data.createApiKey;

    await page.getByRole("link", { name: "Overview" }).click();
    await seen(steps.getByText("Create an API key (done)"));
    await seen(steps.getByText(`curl -H "Authorization: Bearer $KEY" ${gateway.url}/agent/whoami`));
    await call(secret, 1);
    await seenInTime(steps.getByText("Make your first request (done)"));
    await gateway.rest("POST", "/v1/pets", { token: secret, body: { name: "Rex", categoryId: 1 } });
    await seenInTime(steps.getByText("Add your first pet (done)"));
    await gateway.rest("POST", "/messages", { token: secret, body: { message: "Hello" } });
    await seenInTime(steps.getByText("All done"));
    await page.reload();
    await seen(page.getByRole("region", { name: "Agents" }));
    expect(await steps.count()).toBe(0);
  });

  test("shows the requests of each key, and inactive keys that are still in use", async () => {
    const { gateway } = dashboard;
    const { id, secret } = await mint(gateway, { name: "worker" });
    const { secret: other } = await mint(gateway, { name: "helper" });
    await call(secret, 5);
    await call(other, 2);
    await gateway.services.keys.revoke(await operator(gateway), id);
    await call(secret, 3);
    const page = await dashboard.visit();
    const used = page.getByRole("region", { name: "Requests by key" });
    const rejected = page.getByRole("region", { name: "Rejected requests from inactive keys" });
    await seenInTime(rowOf(page, "helper"));
    await seenInTime(rejected.getByRole("row").filter({ hasText: "worker" }).getByText("Revoked"));
    const cells = (text: string) => used.getByRole("row").filter({ hasText: text }).getByRole("cell");
    expect(await cells("worker").last().textContent()).toBe("5");
    expect(await cells("helper").last().textContent()).toBe("2");
    expect(await rejected.getByRole("row").nth(1).getByRole("cell").nth(3).textContent()).toBe("3");

    await used.getByText("30 days").click();
    await seen(used.getByText("7 requests in the last 30 days."));
    expect(await cells("worker").last().textContent()).toBe("5");
    await page.reload();
    await seen(used.getByText("7 requests in the last 30 days."));
    await rejected.getByRole("link", { name: /View requests.*worker/ }).click();
    await seen(page.getByText("Requests with inactive API key worker were rejected (3 in 1 min)"));
  });

  test("has a chart that the arrow keys read", async () => {
    const { gateway } = dashboard;
    const { secret } = await mint(gateway, { name: "read out" });
    await call(secret, 4);
    const page = await dashboard.visit();
    await seenInTime(rowOf(page, "read out"));
    const chart = page.getByRole("group", { name: /requests in the last 24 hours/ });
    const reading = page.locator("figcaption");
    await chart.focus();
    await page.keyboard.press("End");
    await seen(reading.getByText("read out 4"));
    await page.keyboard.press("Home");
    await seen(reading.getByText("No requests"));
  });

  test("keeps its layout while bars of keys with long names are selected", async () => {
    const { gateway } = dashboard;
    for (const letter of ["m", "w"]) {
      const { secret } = await mint(gateway, { name: letter.repeat(100) });
      await call(secret, 9);
    }
    const page = await dashboard.visit();
    await seenInTime(rowOf(page, "w".repeat(100)));
    await seenInTime(rowOf(page, "m".repeat(100)));
    const chart = page.getByRole("group", { name: /requests in the last 24 hours/ });
    const height = () => page.getByRole("figure").evaluate((figure) => figure.getBoundingClientRect().height);
    const before = await height();
    await chart.focus();
    await page.keyboard.press("End");
    await seen(page.locator("figcaption").getByText("9"));
    expect(await height()).toBe(before);
  });

  test("lists the agents, also to a member without config:manage, who sees no keys", async () => {
    const member = await addMember(dashboard.gateway);
    const asked: string[] = [];
    const page = await dashboard.visit("", { as: member });
    page.on("request", (request) => asked.push(request.postData() ?? ""));
    await seen(rowOf(page, "First agent").getByText("first-agent"));
    expect(await page.getByRole("region", { name: "Requests by key" }).count()).toBe(0);
    await turnBackTo(page);
    await seen(rowOf(page, "First agent"));
    expect(asked.filter((text) => text.includes("keyUsage"))).toEqual([]);
  });
});
