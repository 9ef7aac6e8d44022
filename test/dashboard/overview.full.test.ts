import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { AttemptOutcome } from "../../src/delivery/driver";
import { failure } from "../../src/delivery/failures";
import { Decision } from "../../src/features/decisions/decision.entity";
import { HourlyUse } from "../../src/features/key-usage/hourly-use.entity";
import { Line, LineState } from "../../src/features/lines/line.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { countRejections } from "../../src/features/messages/rejections";
import { CreateWebhookEndpointInput } from "../../src/features/webhooks/webhook.inputs";
import { WebhookEndpoint } from "../../src/features/webhooks/webhook-endpoint.entity";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { mint, operator } from "../support/gateway";
import { addLine, addWebhookLine, PUBLIC_URL } from "../support/lines";
import { addMember, addOrganization } from "../support/people";
import { cutOff } from "./layout";
import { looksRight } from "./looks";
import {
  describeDashboard,
  dialogOf,
  eventually,
  gone,
  rejectedRequests,
  rowOf,
  seen,
  seenInTime,
} from "./visit";

describeDashboard("the overview", (dashboard) => {
  const call = (token: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, () => dashboard.gateway.rest("GET", "/agent/whoami", { token })),
    );

  /** Returns the space between neighboring labels below the chart (px). */
  const tickGaps = (page: Page) =>
    page
      .locator("figure > [aria-hidden]")
      .last()
      .evaluate(({ children }) => {
        const boxes = [...children].flatMap((tick) => {
          const range = document.createRange();
          range.selectNodeContents(tick);
          return tick.textContent === "" ? [] : [range.getBoundingClientRect()];
        });
        return boxes.slice(1).map(({ left }, i) => left - (boxes[i]?.right ?? 0));
      });

  test("guides a new organization through onboarding and marks completed steps", async () => {
    const { gateway } = dashboard;
    const { manager, agentId } = await addOrganization(gateway, "beginner");
    const page = await dashboard.visit("", { as: manager });
    const steps = page.getByRole("region", { name: "Get started" });
    await seen(steps.getByText("0 of 4 done"));
    await steps.getByRole("button", { name: "Create API key" }).click();
    await dialogOf(page).getByLabel("Name").fill("first");
    await page.keyboard.press("Enter");
    await dialogOf(page).getByRole("button", { name: "Done" }).click();
    await dialogOf(page).getByRole("button", { name: "Close without copying" }).click();
    await seen(steps.getByText("Create an API key (done)"));

    await steps.getByRole("button", { name: "Try an example" }).click();
    const result = steps.getByRole("status", { name: "Result of the dry run" });
    await seen(result.getByText("The rule order-shipped decides"));
    await seen(result.getByText("your order A1 is on its way."));
    await seen(steps.getByText("Try a situation (done)"));
    expect(await gateway.services.database.read((reader) => reader.existsBy(Decision, { agentId }))).toBe(
      false,
    );

    await steps.getByRole("button", { name: "Create line" }).click();
    await seen(dialogOf(page).getByLabel("Kind"));
    await page.keyboard.press("Escape");
    await addWebhookLine(gateway, { agentId });
    await seenInTime(steps.getByText("Add a line (done)"));
    await eventually(() =>
      steps.getByRole("link", { name: "Open Configuration →" }).getAttribute("href"),
    ).toBe(`/dashboard/configuration?agent=${agentId}`);
    await publish(gateway, agentId, { rules: [] });
    await seenInTime(steps.getByText("All done"));
    await page.reload();
    await seen(page.getByRole("region", { name: "Requests by key" }));
    await eventually(() => steps.count()).toBe(0);
  });

  test("tells members without permissions how an agent works, and which managers to ask for access", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "closed-off");
    const viewer = await addMember(dashboard.gateway, { org: "closed-off" });
    const page = await dashboard.visit("", { as: viewer });
    const start = page.getByRole("region", { name: "Get started" });
    await seen(start.getByRole("list", { name: "How an agent works" }));
    await seen(start.getByRole("link", { name: manager.email }));
    await eventually(() => start.getByRole("button").allTextContents()).toEqual(["Dismiss"]);
    await page.goto(`${dashboard.gateway.url}/dashboard/api-keys`);
    await seen(page.getByText(`Ask ${manager.email} for the permission config:manage.`));
    const own = await dashboard.visit("/conversations", { as: manager });
    await seen(own.getByText("You can give yourself the permission conversations:read"));
    const permissions = [Permission.conversations_read];
    const support = await addMember(dashboard.gateway, { org: "closed-off", permissions });
    await seen((await dashboard.visit("", { as: support })).getByText("Nothing for you to do"));
  });

  test("the first steps can be dismissed, and stay dismissed in this browser", async () => {
    const { manager } = await addOrganization(dashboard.gateway, "seasoned");
    const page = await dashboard.visit("", { as: manager });
    const steps = page.getByRole("region", { name: "Get started" });
    await steps.getByRole("button", { name: "Dismiss" }).click();
    await gone(steps);
    await page.reload();
    await seen(page.getByText("No requests in the last 24 hours"));
    await eventually(() => steps.count()).toBe(0);
  });

  test("an organization without agents is led to them first", async () => {
    const { gateway } = dashboard;
    await gateway.services.organizations.create({ slug: "bare", name: "Bare" });
    const manager = await addMember(gateway, { org: "bare", manage: true });
    const page = await dashboard.visit("", { as: manager });
    const link = page.getByRole("link", { name: "Create an agent" });
    await seen(link);
    await eventually(() => link.getAttribute("href")).toBe("/dashboard/agents");
    await eventually(() => page.getByText("Create an API key").count()).toBe(0);
  });

  test("has the numbers of the period at the top", async () => {
    const { gateway } = dashboard;
    const { agentId } = await addOrganization(gateway, "counted");
    const owner = await addMember(gateway, { org: "counted", permissions: Object.values(Permission) });
    const { id, secret } = await mint(gateway, { agent: "counted-agent" });
    await mint(gateway, { agent: "counted-agent", expiresAt: new Date(Date.now() + 86_400_000) });
    await call(secret, 7);
    for (const status of [MessageStatus.delivered, MessageStatus.sent]) {
      await gateway.rest("POST", "/messages", { token: secret, body: { message: "Hello" } });
      await gateway.services.database.write((tx) =>
        tx.update(Message, { agentId, status: MessageStatus.queued }, { status }),
      );
    }
    await publish(gateway, agentId, { rules: [] });
    await decisionClient(gateway, secret).decide({});
    await gateway.services.keys.update(await operator(gateway, "counted"), {
      id,
      allowedNetworks: ["203.0.113.0/24"],
    });
    await call(secret, 10);
    await gateway.services.usageRecorder.flush({ all: true });
    const page = await dashboard.visit("", { as: owner });
    const numbers = page.locator("main dl").first();
    const values = async () =>
      Object.fromEntries(
        await numbers
          .locator("> div")
          .evaluateAll((all) =>
            all.map((each) => [...each.children].slice(0, 2).map((part) => part.textContent ?? "")),
          ),
      );
    await seen(numbers);
    await eventually(values).toEqual({
      Requests: "20",
      Rejected: "10",
      "Rejected rate": "50%",
      "Expiring keys": "1",
      Delivered: "1",
      Failed: "0",
      Decisions: "1",
    });
    await seen(numbers.getByRole("link", { name: "1 more sent" }));
    const heights = () =>
      numbers.locator("dd:last-child").evaluateAll((all) => all.map(({ clientHeight }) => clientHeight));
    await eventually(async () => new Set(await heights()).size).toBe(1);
    await seen(rowOf(page, "Not from an allowed network"));

    const { database } = gateway.services;
    const [use] = await database.read((rows) => rows.find(HourlyUse, { where: { keyId: id } }));
    await database.write(async (tx) => {
      await tx.delete(HourlyUse, { keyId: id });
      await tx.insert(HourlyUse, { ...use, accepted: 1_235_500, refused: 176_500 });
    });
    await page.reload();
    await eventually(values).toMatchObject({
      Requests: "1,412,000",
      Rejected: "176,500",
      "Rejected rate": "12.5%",
    });
    await seen(page.getByText("2M", { exact: true }));
    await numbers.getByRole("link", { name: "1", exact: true }).first().click();
    await page.waitForURL(/state=expiring/);
  });

  test("has what needs attention at the top, and each number leads to the list behind it", async () => {
    const { gateway } = dashboard;
    const { agentId } = await addOrganization(gateway, "alarmed");
    const email = `${"o".repeat(64)}@${"d".repeat(27)}.com`;
    const owner = await addMember(gateway, { org: "alarmed", email, permissions: Object.values(Permission) });
    const { secret } = await mint(gateway, { agent: "alarmed-agent" });
    await gateway.services.agents.rename(await operator(gateway, "alarmed"), {
      id: agentId,
      name: "שירות לקוחות ".repeat(12).trim(),
    });
    const page = await dashboard.visit("", { as: owner, viewport: { width: 1280, height: 800 } });
    const attention = page.getByRole("region", { name: "Needs attention" });
    await seen(attention.getByText("All good"));

    // A report that fails hides only itself.
    await page.route("**/graphql", (route) =>
      /query (Usage|Activity)\b/.test(route.request().postData() ?? "")
        ? route.fulfill({ json: { errors: [{ message: "", extensions: { code: "internal_error" } }] } })
        : route.continue(),
    );
    await page.reload();
    for (const name of ["Messages and decisions", "Requests by key"])
      await seen(page.getByRole("region", { name }).getByRole("alert"));
    await seen(attention.getByText("All good"));
    await page.unroute("**/graphql");

    const failing = await addWebhookLine(gateway, { agentId, name: `failing-bridge-${"x".repeat(45)}` });
    const result = failure(AttemptOutcome.retryable, "http_500", `The receiver responded with 500.`);
    const ended = { laneId: "", messageId: "", attempt: 1, isHeld: true, channelKind: "webhook", result };
    await gateway.services.database.write((tx) => countRejections(tx, [{ ...ended, channelId: failing.id }]));
    const paused = await addLine(gateway, { agentId, name: "resting" });
    const { id } = await addConversation(gateway, { agentId, line: "resting" });
    const api = conversationClient(gateway, secret);
    for (let i = 0; i < 10; i += 1) await api.send(id, `Hello ${i}`);
    const pausedReason = "w".repeat(200);
    await gateway.services.database.write((tx) =>
      tx.update(Line, paused.id, { state: LineState.paused, pausedReason }),
    );
    await api.handOff((await addConversation(gateway, { agentId })).id);
    const context = await operator(gateway, "alarmed");
    const input = Object.assign(new CreateWebhookEndpointInput(), { url: PUBLIC_URL });
    const { id: endpoint } = (await gateway.services.webhooks.create(context, input)).endpoint;
    await gateway.services.database.write((tx) =>
      tx.update(WebhookEndpoint, endpoint, { url: `https://${"long-host-".repeat(6)}.example.com/orders` }),
    );
    await gateway.services.webhooks.disable(context, endpoint);
    await gateway.services.usageRecorder.flush({ all: true });
    await page.reload();

    const rows = () =>
      attention
        .getByRole("listitem")
        .evaluateAll((all) => all.map((each) => (each as HTMLElement).innerText));
    await eventually(async () => (await rows()).length).toBe(4);
    const [first, second, third, fourth] = await rows();
    expect(first).toMatch(
      /^Failing\s+Line failing-bridge-.* · The receiver responded with 500\. · .*\s+started (just now|\d+ minutes? ago)$/,
    );
    expect(second).toMatch(/^Paused\s+Line resting · 10 messages waiting · w+ · .*\s+oldest /);
    expect(third).toMatch(/^Disabled\s+Webhook long-host-.* · \/orders\s+(just now|\d+ minutes? ago)$/);
    expect(fourth).toMatch(/^Needs reply\s+1 conversation\s+oldest /);
    const hrefs = () =>
      page
        .locator("main :is(ul a, dl a)")
        .evaluateAll((all) => all.map((each) => each.getAttribute("href")?.replace("/dashboard", "")));
    await eventually(hrefs).toEqual([
      `/lines/${failing.id}?agent=${agentId}`,
      `/lines/${paused.id}?agent=${agentId}`,
      `/webhooks/${endpoint}`,
      "/conversations",
      "/api-keys",
      "#rejected",
      "#rejected",
      "/api-keys?state=expiring",
      "/messages?status=arrived&period=1",
      "/messages?status=failed&period=1",
      "/decisions?period=1",
    ]);
    await eventually(() => cutOff(page)).toEqual([]);
    await looksRight(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await eventually(() => cutOff(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await attention.getByRole("link", { name: "Line resting" }).click();
    await page
      .getByRole("region", { name: "Messages" })
      .getByRole("link", { name: "10", exact: true })
      .click();
    await page.waitForURL(/status=queued/);
    await eventually(() => page.getByRole("table", { name: "Messages" }).getByRole("row").count()).toBe(11);
    await page.goBack();
    await page.getByRole("link", { name: "Overview" }).click();
    await gateway.services.lines.resume(context, paused.id);
    await seenInTime(attention.getByRole("listitem").nth(2));
    await eventually(async () => (await rows()).length).toBe(3);
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
    const rejected = page.getByRole("region", { name: "Rejected requests" });
    await seenInTime(rowOf(page, "helper"));
    await seenInTime(rejected.getByRole("row").filter({ hasText: "worker" }).getByText("Revoked"));
    const cells = (text: string) => used.getByRole("row").filter({ hasText: text }).getByRole("cell");
    await eventually(() => cells("worker").last().textContent()).toBe("5");
    await eventually(() => cells("helper").last().textContent()).toBe("2");
    await eventually(() => rejected.getByRole("row").nth(1).getByRole("cell").nth(3).textContent()).toBe("3");

    await used.getByText("30 days").click();
    await seen(used.getByRole("group", { name: "10 requests in the last 30 days" }));
    await eventually(() => cells("worker").last().textContent()).toBe("5");
    await page.reload();
    await seen(used.getByRole("group", { name: "10 requests in the last 30 days" }));
    await rejected.getByRole("link", { name: /View requests.*worker/ }).click();
    await seen(page.getByText(/with the inactive API key worker w(as|ere) rejected/));
    await eventually(() => rejectedRequests(page)).toBe(3);
  });

  test("has a chart that the arrow keys read", async () => {
    const { gateway } = dashboard;
    const { secret } = await mint(gateway, { name: "read out" });
    await call(secret, 4);
    const page = await dashboard.visit("", { timezoneId: "UTC" });
    await seenInTime(rowOf(page, "read out"));
    const chart = page.getByRole("group", { name: /requests in the last 24 hours/ });
    const reading = page.locator("figcaption");
    await chart.focus();
    await page.keyboard.press("End");
    await seen(reading.getByText("read out"));
    await eventually(() => reading.textContent()).toContain("read out 4");
    // Until 01:00, the last bar is the one of midnight.
    await eventually(async () => {
      const text = await reading.textContent();
      if (text?.includes(" 00:00") !== true) await page.keyboard.press("ArrowLeft");
      return text;
    }).toContain(" 00:00");
    await page.keyboard.press("Home");
    await seen(reading.getByText("No requests"));
    await seen(page.getByRole("figure").getByText("now"));

    await page.setViewportSize({ width: 360, height: 740 });
    for (const [period, last] of [
      ["30 days", "today"],
      ["24 hours", "now"],
    ] as const) {
      await page.getByRole("region", { name: "Requests by key" }).getByText(period).click();
      await seen(page.getByRole("figure").getByText(last));
      await eventually(async () => (await tickGaps(page)).map((gap) => gap > 8)).toEqual([true, true]);
    }
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
    await eventually(height).toBe(before);
  });

  test("shows no figures of keys after the member loses config:manage", async () => {
    const { gateway } = dashboard;
    await addOrganization(gateway, "demoted");
    const permissions = [Permission.config_manage, Permission.conversations_read];
    const member = await addMember(gateway, { org: "demoted", permissions });
    const page = await dashboard.visit("", { as: member });
    const figures = page.getByRole("main").locator("dl");
    const requests = figures.getByText("Requests", { exact: true });
    const createKey = page.getByRole("button", { name: "Create API key" });
    await seen(requests);
    await seen(createKey);
    await gateway.services.members.revokePermission(await operator(gateway, "demoted"), {
      memberId: member.id,
      permission: Permission.config_manage,
    });
    await seenInTime(rowOf(page, "Agent of demoted"));
    await seen(figures.getByText("Delivered", { exact: true }));
    await gone(requests);
    await gone(page.getByRole("region", { name: "Get started" }));
  });

  test("lists the agents, even for a member without config:manage, who sees no keys", async () => {
    const member = await addMember(dashboard.gateway);
    const asked: string[] = [];
    const page = await dashboard.visit("", { as: member });
    page.on("request", (request) => asked.push(request.postData() ?? ""));
    await seen(rowOf(page, "First agent").getByText("first-agent"));
    await eventually(() => page.getByRole("region", { name: "Requests by key" }).count()).toBe(0);
    await seenInTime(rowOf(page, "First agent"));
    expect(asked.filter((text) => /keyUsage|activity/.test(text))).toEqual([]);
  });
});
