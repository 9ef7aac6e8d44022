import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Receiver } from "../support/receiver";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen, seenInTime } from "./visit";

const SCREENSHOTS = join(__dirname, "screenshots");
const TAKE_SCREENSHOTS = Boolean(process.env.SCREENSHOTS);

/** The owner's configuration: contacts tagged as regular customers are notified of a shipped order. */
const DOCUMENT = {
  format: 1,
  situations: { "order.shipped": { orderId: "string" } },
  templates: { left: "Your order {{ situation.data.orderId }} has left." },
  rules: [
    { id: "regulars", on: "order.shipped", when: ["'regular' in contact.tags"], do: [{ send: "left" }] },
  ],
};

describeDashboard(
  "an owner without a shell",
  (dashboard) => {
    let receiver: Receiver;
    let page: Page;
    beforeAll(async () => {
      await mkdir(SCREENSHOTS, { recursive: true });
      receiver = await Receiver.start();
    });
    afterAll(() => receiver.close());

    const dialog = () => dialogOf(page);
    const go = (name: string) =>
      page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name, exact: true }).click();
    const act = async (of: string, action: string) => {
      await page.getByRole("button", { name: `Actions for ${of}` }).click();
      await page.getByRole("menuitem", { name: action }).click();
      await seen(dialog());
    };
    /** Copies the secret that a dialog shows once, and closes the dialog. */
    const take = async (): Promise<string> => {
      await seen(dialog().locator("pre"));
      const secret = (await dialog().locator("pre").first().textContent()) ?? "";
      await dialog().getByRole("button", { name: "Done" }).click();
      await dialog().getByRole("button", { name: "Close without copying" }).click();
      await gone(dialog());
      return secret;
    };
    let pictures = 0;
    const picture = async (name: string) => {
      pictures += 1;
      if (TAKE_SCREENSHOTS)
        await page.screenshot({ path: join(SCREENSHOTS, `owner-${pictures}-${name}.png`), fullPage: true });
    };

    test("invites a colleague, adds an agent with keys, rules and a webhook, and sees what it does", async () => {
      const { gateway } = dashboard;
      page = await dashboard.visit();

      // A colleague who can read.
      await go("Members");
      await page.getByRole("button", { name: "Invite member" }).click();
      await dialog().getByLabel("E-mail").fill("ada@example.com");
      await dialog().getByLabel("Read contacts").check();
      await dialog().getByRole("button", { name: "Invite" }).click();
      const link = await take();
      const colleague = await dashboard.visit(new URL(link).href.split("/dashboard")[1] ?? "", { as: null });
      await colleague
        .getByLabel(/password/i)
        .first()
        .fill("a password of her own");
      await colleague.keyboard.press("Enter");
      await seen(colleague.getByRole("heading", { name: "Overview" }));

      // An agent, and a key for each of its two callers.
      await go("Agents");
      await page.getByRole("button", { name: "Create agent" }).click();
      await dialog().getByLabel("Name").fill("Shop assistant");
      await dialog().getByLabel("Slug").fill("shop");
      await page.keyboard.press("Enter");
      await seen(page.getByRole("heading", { name: "Shop assistant", level: 1 }));
      const create = async (name: string, limits: () => Promise<void>) => {
        await go("API keys");
        await page.getByRole("button", { name: "Create API key" }).click();
        await dialog().getByRole("textbox", { name: "Name", exact: true }).fill(name);
        await dialog().getByLabel("Agent").selectOption({ label: "Shop assistant" });
        await limits();
        await dialog().getByRole("button", { name: "Create API key" }).click();
        return take();
      };
      const reader = await create("stock display", async () => {
        await dialog().getByLabel("Scopes").selectOption("Read-only");
        await dialog().getByText("Advanced").click();
        await dialog().getByLabel("Allowed networks").fill("127.0.0.0/8");
      });
      const shop = await create("online shop", async () => undefined);
      const call = (token: string, method: string, path: string, body?: object) =>
        gateway.rest(method, path, { token, ...(body && { body }) });
      expect((await call(reader, "GET", "/agent/contacts")).status).toBe(200);
      expect((await call(reader, "POST", "/agent/contacts", {})).body.code).toBe("insufficient_scope");
      await gateway.services.usageRecorder.flush({ all: true });
      await page.getByRole("link", { name: "stock display" }).click();
      await seen(page.getByText("2 accepted and 0 rejected in the last 24 hours"));
      await seen(page.getByText("127.0.0.0/8"));
      await seen(page.getByRole("row", { name: "POST /agent/contacts insufficient_scope 127.0.0.1 1" }));
      await picture("key");

      // A contact for the rule.
      await go("Contacts");
      await page.getByLabel("Agent", { exact: true }).selectOption({ label: "Shop assistant" });
      await page.getByRole("button", { name: "Add contact" }).first().click();
      await dialog().getByLabel("Name").fill("Grace Hopper");
      await dialog().getByLabel("Kind of address").selectOption("On this server");
      await dialog().getByLabel("Address", { exact: true }).fill("grace");
      await dialog().getByRole("button", { name: "Add contact" }).click();
      await seen(page.getByRole("heading", { name: "Grace Hopper", level: 1 }));
      await page.getByLabel("New tag").fill("regular");
      await page.keyboard.press("Enter");
      await seen(page.getByRole("button", { name: /Remove.*regular/ }));

      // A rule, published after reading what it would change in past decisions.
      const situation = { type: "order.shipped", data: { orderId: "A1" } };
      const about = { address: { kind: "local", address: "grace" } };
      const first = await call(shop, "POST", "/agent/decisions", { situation, contact: about });
      expect(first.body.outcome).toBe("send");
      await go("Configuration");
      const editor = page.getByRole("textbox", { name: "Configuration as JSON" });
      await seen(editor);
      await editor.focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(JSON.stringify(DOCUMENT, undefined, 2));
      await page.getByRole("button", { name: "Publish…" }).click();
      await seen(page.getByRole("heading", { name: "Publish the draft" }));
      const byRule = page.getByRole("table", { name: "Decisions by rule" });
      await seen(byRule.getByRole("row").filter({ hasText: "regulars" }).getByText("+1"));
      await picture("replay");
      await page.getByRole("button", { name: /^Publish version/ }).click();
      await seen(page.getByText(/^Published version/));

      // The situation, with the command that the page offers.
      await page.getByLabel("About").selectOption("A local address");
      await page.getByLabel("Address").fill("grace");
      const command = (await page.locator("pre").last().textContent()) ?? "";
      const offered = JSON.parse(/-d '(.*)'$/.exec(command)?.[1]?.replaceAll("'\\''", "'") ?? "");
      const decided = await call(
        shop,
        "POST",
        new URL(/curl (\S+)/.exec(command)?.[1] ?? "").pathname,
        offered,
      );
      expect([decided.status, decided.body.outcome]).toEqual([201, "send"]);

      // The reason for the decision, and the status of its message.
      await go("Decisions");
      await page.getByRole("link", { name: "order.shipped" }).first().click();
      const rules = page.getByRole("list", { name: "Rules" });
      await seen(rules.getByText("'regular' in contact.tags"));
      await seenInTime(page.getByRole("list", { name: "Effects" }).getByText("Delivered"));
      await picture("decision");

      // The conversation continues on another line.
      await go("Lines");
      await page.getByRole("button", { name: "Create line" }).first().click();
      await dialog().getByLabel("Name").fill("counter");
      await dialog().getByLabel("Kind").selectOption("local");
      await dialog().getByRole("button", { name: "Create line" }).click();
      await seen(page.getByRole("heading", { name: "counter", level: 1 }));
      await go("Conversations");
      await page.getByRole("navigation", { name: "Conversations by state" }).getByText("Open").click();
      await page.getByRole("link", { name: "Grace Hopper" }).click();
      await seen(page.getByRole("log").getByText(/^Your order/));
      await act("this conversation", "Move to another line");
      await dialog().getByLabel("Line", { exact: true }).selectOption("counter (local)");
      await dialog().getByRole("button", { name: "Move" }).click();
      await gone(dialog());
      await seen(page.getByText("counter"));
      await picture("conversation");

      // Another system gets the events, including earlier ones.
      await go("Webhooks");
      await page.getByRole("button", { name: "Create your first webhook" }).click();
      await dialog().getByLabel("URL").fill(receiver.url());
      await dialog().getByRole("button", { name: "Create webhook" }).click();
      expect(await take()).toMatch(/^whsec_/);
      await act("the webhook", "Redeliver…");
      await dialog().getByLabel("Since").selectOption("The last hour");
      await dialog().getByRole("button", { name: "Redeliver" }).click();
      await gone(dialog());
      await seenInTime(rowOf(page, "conversation.moved").getByText("Delivered"));
      expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toContain("message.delivered");
      await picture("webhook");

      // The display is retired.
      await go("API keys");
      await act("stock display", "Revoke");
      await dialog().getByRole("button", { name: "Revoke key" }).click();
      await gone(dialog());
      expect((await call(reader, "GET", "/agent/whoami")).body.code).toBe("key_revoked");

      await colleague.reload();
      await colleague.getByRole("link", { name: "Conversations" }).first().click();
      await colleague.getByLabel("Agent", { exact: true }).selectOption({ label: "Shop assistant" });
      await colleague.getByRole("navigation", { name: "Conversations by state" }).getByText("Open").click();
      await seen(colleague.getByRole("link", { name: "Grace Hopper" }));
      await eventually(() => colleague.getByRole("link", { name: "API keys" }).count()).toBe(0);
    });
  },
  { DELIVERY_WORKERS: "4", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
);
