import type { Locator } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { timestamp } from "../../src/common/time";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Message } from "../../src/features/messages/message.entity";
import { WebhookDelivery } from "../../src/features/webhooks/webhook-delivery.entity";
import { addContact } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import { mint, operator, type TestGateway } from "../support/gateway";
import { addLine, addWebhookLine, lineClient } from "../support/lines";
import { addMember, firstAgentId, invite } from "../support/people";
import { addEndpoint, storeDelivery } from "../support/webhooks";
import { COLOR_RULES, fits, ownPart, showIn, violations } from "./axe";
import { fillInbox } from "./inbox";
import { cutOff, laidOut } from "./layout";
import { describeDashboard, dialogOf, eventually, follow, gone, pagePaths, rowOf, seen } from "./visit";

const PHONE = 360;
const DESKTOP = 1280;

/** Phones, tablets, and the widths around the points where the navigation moves. */
const WIDTHS = [PHONE, 820, 897, 1024, 1090, DESKTOP, 1920];

/** A dialog is not beside the navigation, and is no wider in a larger window. */
const DIALOG_WIDTHS = [PHONE, 820, DESKTOP];

const RIGHT_TO_LEFT = "שרה כהן!";

/** Max length of most names. */
const LONG = "x".repeat(100);

/**
 * Fills the gateway with long names.
 * @returns the IDs of objects with a page
 */
async function fill(gateway: TestGateway) {
  const { services } = gateway;
  const { contact, conversation, message, decision } = await fillInbox(gateway, LONG);
  const { id, secret } = await mint(gateway, { name: LONG });
  await gateway.rest("GET", "/agent/whoami", { token: secret });
  const ip = "2001:db8:85a3:1234:5678:8a2e:1370:7334";
  const { secret: blocked } = await mint(gateway, { name: "blocked", allowedNetworks: ["192.0.2.0/24"] });
  await gateway.rest("GET", "/agent/whoami", { token: blocked });
  for (const operation of ["GET /organization/agents/{agentId}/configuration", `query ${LONG.repeat(2)}`])
    services.usageRecorder.ended(id, operation, { ip }, "recent_sign_in_required");
  await services.usageRecorder.flush({ all: true });
  // The age of a decision needs the most room in its column after about an hour.
  await services.database.write((tx) =>
    tx.update(Decision, { id: decision }, { createdAt: timestamp(-59 * 60_000) }),
  );
  const error = { status: "failed", errorCode: "rejected", errorText: LONG.repeat(5) } as const;
  await services.database.write((tx) => tx.update(Message, { decisionId: decision }, error));
  const proposed = await proposeMessage(gateway, contact);
  await mint(gateway, { name: "checkout-production-europe-west" });
  const viewer = await addMember(gateway, {
    email: `${"very.long.name.".repeat(4)}x@${"subdomain.".repeat(9)}example.com`,
    permissions: Object.values(Permission),
  });
  const rename = "mutation ($name: String) { changeName(input: { name: $name }) { id } }";
  await gateway.graphql(rename, { name: LONG }, { token: viewer.token });
  const context = await operator(gateway);
  await services.organizations.rename(context, { name: LONG.repeat(2) });
  await services.contacts.changeTags(context, {
    id: contact,
    add: ["vip", "t".repeat(50), "campaign-of-november"],
  });
  const rightToLeft = await holdMessage(gateway);
  const { id: agentId } = await services.agents.create(context, { slug: "long", name: LONG });
  const url = `https://93.184.215.14/${LONG}`;
  const line = await addWebhookLine(gateway, { agentId, name: "x".repeat(63), url });
  const types = ["conversation_handed_off", "configuration_published", "message_delivered"];
  const endpoint = await addEndpoint(gateway, { agentId, url, types, description: LONG.repeat(2) });
  await storeDelivery(gateway, endpoint, agentId);
  await services.database.write((tx) =>
    tx.update(WebhookDelivery, { endpointId: endpoint.id }, { lastError: LONG.repeat(3) }),
  );
  const failing = {
    id: LONG.slice(0, 63),
    situation: { type: "order.late", data: {} },
    expect: { rule: "other" },
  };
  const draft = {
    format: 1,
    situations: { "order.late": {} },
    templates: { [LONG]: LONG },
    otherwise: [{ handoff: LONG }],
    tests: [{ ...failing, now: "2026-12-24T18:00:00Z" }],
  };
  await services.configurations.saveDraft(context, agentId, draft, 0);
  const member = await addMember(gateway, { email: `remove.${"long.".repeat(20)}x@example.com` });
  await invite(gateway, { email: `${"long.".repeat(20)}invited@example.com` });
  return {
    key: id,
    agent: agentId,
    contact,
    conversation,
    message,
    decision,
    proposed,
    rightToLeft,
    line: line.id,
    endpoint: endpoint.id,
    member,
    viewer,
  };
}

/**
 * Makes a decision that proposes a message, whose outcome has a long name.
 * @returns the decision's ID
 */
async function proposeMessage(gateway: TestGateway, contact: string): Promise<string> {
  await publish(gateway, await firstAgentId(gateway), {
    situations: { "order.late": {} },
    templates: { late: "Sorry!" },
    rules: [{ id: "late", on: "order.late", do: [{ send: "late", review: true }] }],
  });
  const { body } = await decisionClient(gateway).decide({ type: "order.late", contact: { id: contact } });
  return body.id;
}

/**
 * Opens a conversation with a message waiting on a paused line, and with names in other scripts.
 * @returns the ID of a contact whose name and tag are written from right to left
 */
async function holdMessage(gateway: TestGateway): Promise<string> {
  const agentId = await firstAgentId(gateway);
  const { id, name: line } = await addLine(gateway, { agentId, name: `paused-${"sms-".repeat(13)}` });
  await lineClient(gateway).pause(id, LONG);
  const contact = { id: await addContact(gateway, { agentId, ref: "1", name: RIGHT_TO_LEFT }) };
  await gateway.services.contacts.changeTags(await operator(gateway), { ...contact, add: [RIGHT_TO_LEFT] });
  const addresses = [{ kind: AddressKind.phone, address: "+498912345678901" }];
  await addContact(gateway, { agentId, ref: "2", name: "محمد عبد الله", addresses });
  await gateway.graphql(
    "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { conversation { id } } }",
    { input: { agentId, contact, line: { name: line }, text: "שלום" } },
    { token: gateway.owner },
  );
  return contact.id;
}

describeDashboard("whatever the width, the dashboard", (dashboard) => {
  let ids: Awaited<ReturnType<typeof fill>>;
  beforeAll(async () => {
    ids = await fill(dashboard.gateway);
  });

  /** Returns the paths of pages that the navigation does not list. */
  const details = () => [
    `/api-keys/${ids.key}`,
    `/agents/${ids.agent}`,
    `/contacts/${ids.contact}`,
    `/conversations/${ids.conversation}`,
    `/messages/${ids.message}`,
    `/decisions/${ids.decision}`,
    `/decisions/${ids.proposed}`,
    `/configuration/publish?agent=${ids.agent}`,
    `/configuration/1?agent=${ids.agent}`,
    `/lines/${ids.line}?agent=${ids.agent}`,
    `/webhooks/${ids.endpoint}`,
  ];

  /** Returns, for each page, the buttons and the items of the first menu that open dialogs. */
  const dialogs = (): Record<string, { buttons?: readonly string[]; items?: readonly string[] }> => ({
    "/api-keys?create=yes": {},
    [`/api-keys?search=${LONG}`]: { items: ["Rename…", "Rotate…", "Settings…", "Revoke…"] },
    "/agents?create=yes": {},
    [`/agents/${ids.agent}`]: { items: ["Rename…", "Delete…"] },
    [`/contacts/${ids.contact}`]: { buttons: ["Edit"], items: ["Erase contact…"] },
    "/contacts": { buttons: ["Add contact"] },
    [`/conversations/${ids.conversation}`]: {
      buttons: ["Hand off"],
      items: ["Move to another line…", "Close conversation…"],
    },
    "/conversations": { buttons: ["New conversation"] },
    [`/lines?create=yes&agent=${ids.agent}`]: {},
    [`/lines/${ids.line}?agent=${ids.agent}`]: { buttons: ["Send test message…"], items: ["Edit…"] },
    "/webhooks?create=yes": {},
    [`/webhooks/${ids.endpoint}`]: { buttons: ["Send test event…"], items: ["Edit…"] },
    "/pets": { buttons: ["Add pet"] },
    "/settings/organization": { buttons: ["Rename…", "Deactivate…"] },
    "/settings/members": {
      buttons: ["Invite member"],
      items: ["Change permissions…", "Sessions…", "Remove…"],
    },
    "/settings/profile": { buttons: ["Change name…", "Change e-mail…", "Change password…"] },
  });

  test("dialogs cut nothing off and pass axe, even with long names without a space", async () => {
    const page = await dashboard.visit("/nowhere");
    const check = async (name: string) => {
      await seen(dialogOf(page));
      let size = "";
      for (const width of DIALOG_WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await laidOut(page);
        const box = JSON.stringify(await dialogOf(page).boundingBox(), ["width", "height"]);
        // Most dialogs have the same width on a tablet and on a desktop.
        if (box === size) continue;
        size = box;
        await eventually(async () => [name, width, ...(await cutOff(page))]).toEqual([name, width]);
        if (width > PHONE) continue;
        const passes = (only?: string[]) =>
          eventually(async () => [
            name,
            ...(await violations(page, { within: "[role=dialog]", ...(only && { only }) })),
          ]).toEqual([name]);
        await passes();
        await showIn(page, "dark");
        await passes(COLOR_RULES);
        await showIn(page, "light");
      }
      await page.keyboard.press("Escape");
      await gone(dialogOf(page));
    };
    for (const [path, { buttons = [], items = [] }] of Object.entries(dialogs())) {
      await follow(page, path);
      if (path.includes("create=")) await check(path);
      for (const name of buttons) {
        await page.getByRole("main").getByRole("button", { name, exact: true }).click();
        await check(`${path} ${name}`);
      }
      for (const name of items) {
        // A menu closes when the rows of an earlier page are replaced.
        await eventually(() => page.locator("[data-stale=true]").count()).toBe(0);
        await page
          .getByRole("main")
          .getByRole("button", { name: /^(Actions|More) / })
          .first()
          .click();
        await page.getByRole("menuitem", { name, exact: true }).click();
        await check(`${path} ${name}`);
      }
    }
    await page.keyboard.press("Control+k");
    await dialogOf(page).getByRole("combobox").fill(LONG);
    await seen(dialogOf(page).getByRole("group", { name: "Contacts" }));
    await check("palette");
    // A receiver can answer with a long word.
    await page.route("**/graphql", (route) =>
      /mutation TestLine\b/.test(route.request().postData() ?? "")
        ? route.fulfill({ json: { data: { testLine: { outcome: "retryable", detail: LONG.repeat(3) } } } })
        : route.continue(),
    );
    await follow(page, `/lines/${ids.line}?agent=${ids.agent}`);
    await page.getByRole("main").getByRole("button", { name: "Send test message…" }).click();
    await dialogOf(page).getByRole("button", { name: "Send test message" }).click();
    await seen(dialogOf(page).getByText(LONG.repeat(3)));
    await check("result of a test message");
  }, 360_000);

  test("an invitation to an organization with a long name cuts nothing off", async () => {
    const { link } = await invite(dashboard.gateway);
    const page = await dashboard.visit(`/invitation${new URL(link).hash}`, { as: null });
    await seen(page.getByRole("heading", { name: `Join ${LONG}` }));
    for (const width of [PHONE, DESKTOP]) {
      await page.setViewportSize({ width, height: 800 });
      await laidOut(page);
      await eventually(async () => [width, await fits(page), ...(await cutOff(page))]).toEqual([width, true]);
    }
  });

  test("pages cut nothing off and pass axe, even with long names without a space", async () => {
    const page = await dashboard.visit("/nowhere", { as: ids.viewer });
    const paths = await pagePaths(dashboard);
    expect(paths).toContain("/api-keys");
    for (const path of [...paths, ...details()]) {
      await follow(page, path);
      await seen(page.getByRole("heading", { level: 1 }));
      await gone(page.locator(".mantine-Skeleton-root"));
      const passes = (where: number | string, faults: () => Promise<readonly string[]>) =>
        eventually(async () => [path, where, ...(await faults())]).toEqual([path, where]);
      // The layout depends only on the width, so the page need not be reloaded.
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await laidOut(page);
        await passes(width, () => cutOff(page));
        await passes(width, async () => ((await fits(page)) ? [] : ["scrolls sideways"]));
        if (width === DESKTOP) await passes(width, async () => violations(page, await ownPart(page)));
      }
      // The phone is checked in dark mode, so that two runs of axe cover both layouts and both color schemes.
      await page.setViewportSize({ width: PHONE, height: 800 });
      await showIn(page, "dark");
      await passes("dark", () => violations(page, { within: "main" }));
      await showIn(page, "light");
    }
    // All stylesheets are loaded by now, so this check includes the rule that reads them.
    await page.setViewportSize({ width: DESKTOP, height: 800 });
    await eventually(() => violations(page)).toEqual([]);
  }, 360_000);

  test.each([720, 800])("shows all links of the navigation in a window %i px high", async (height) => {
    const viewport = { width: DESKTOP, height };
    const page = await dashboard.visit("/nowhere", { as: ids.viewer, viewport });
    const nav = page.getByRole("navigation", { name: "Dashboard" });
    await seen(nav.getByRole("link", { name: "Profile" }));
    await eventually(() => nav.evaluate((part) => part.scrollHeight - part.clientHeight)).toBe(0);
  });

  test("a name that is cut off is complete in its tooltip and for screen readers", async () => {
    const page = await dashboard.visit("/api-keys", { viewport: { width: 360, height: 800 } });
    await seen(rowOf(page, LONG));
    const long = page.getByRole("link", { name: LONG, exact: true });
    await long.hover();
    await eventually(() => long.getAttribute("title")).toBe(LONG);
    const short = page.getByRole("link", { name: "checkout-production-europe-west", exact: true });
    await short.hover();
    await eventually(() => short.getAttribute("title")).toBeFalsy();
  });

  test("the punctuation after a right-to-left name stays to the left of it", async () => {
    const page = await dashboard.visit(`/contacts/${ids.rightToLeft}`);
    const endsAtLeft = (what: Locator) =>
      what.evaluate((element) => {
        const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text;
        const leftOf = (index: number) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + 1);
          return range.getBoundingClientRect().left;
        };
        return leftOf(text.length - 1) < leftOf(0);
      });
    const tag = page.getByRole("list", { name: "Tags" }).getByText(RIGHT_TO_LEFT);
    for (const name of [page.getByRole("heading", { level: 1, name: RIGHT_TO_LEFT }), tag]) {
      await seen(name);
      expect(await endsAtLeft(name)).toBe(true);
    }
  });

  test("filters are behind a button on a phone, which says how many are set", async () => {
    const page = await dashboard.visit("/api-keys?state=active", { viewport: { width: PHONE, height: 740 } });
    await seen(page.getByLabel("Search by name or key prefix"));
    const agent = page.getByLabel("Agent");
    await eventually(() => agent.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filter (1)" }).click();
    await agent.selectOption("Organization");
    await seen(page.getByRole("button", { name: "Filter (2)" }));
    await page.setViewportSize({ width: 1280, height: 800 });
    await gone(page.getByRole("button", { name: "Filter (2)" }));
  });

  test("shows the first item of each inbox list in the upper half of a phone", async () => {
    const page = await dashboard.visit("/nowhere", { viewport: { width: PHONE, height: 740 } });
    for (const path of ["/conversations?state=open", "/messages", "/decisions", "/contacts"]) {
      await follow(page, path);
      const item = page.getByRole("row").nth(1);
      await seen(item);
      await eventually(async () => [path, ((await item.boundingBox())?.y ?? 740) <= 370]).toEqual([
        path,
        true,
      ]);
    }
  });

  test("shows what is chosen even with forced colors, which remove all backgrounds", async () => {
    const { secret } = await mint(dashboard.gateway, { name: "counted" });
    await dashboard.gateway.rest("GET", "/agent/whoami", { token: secret });
    await dashboard.gateway.services.usageRecorder.flush({ all: true });
    const page = await dashboard.visit("", { forcedColors: "active" });
    await seen(page.getByRole("link", { name: "counted" }));
    const looks = (what: Locator) =>
      what.evaluate((element) => {
        const { outlineStyle, borderStyle, color, backgroundColor } = getComputedStyle(element);
        return [outlineStyle, borderStyle, color, backgroundColor].join();
      });
    const nav = page.getByRole("navigation", { name: "Dashboard" });
    await eventually(() => looks(nav.getByRole("link", { name: "Overview" }))).not.toBe(
      await looks(nav.getByRole("link", { name: "API keys" })),
    );
    const period = page.getByRole("radiogroup", { name: "Period" });
    await eventually(() => looks(period.locator("label span", { hasText: "24 hours" }))).not.toBe(
      await looks(period.locator("label span", { hasText: "30 days" })),
    );
    const swatch = rowOf(page, "counted").locator("[class*=swatch]").first();
    await eventually(() => swatch.evaluate((element) => getComputedStyle(element).forcedColorAdjust)).toBe(
      "none",
    );
  });
});
