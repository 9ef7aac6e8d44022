import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { whileDelivering } from "../support/deliver";
import { mint } from "../support/gateway";
import { addWebhookLine } from "../support/lines";
import { addMember, addOrganization, firstAgentId, operatorOfAgent } from "../support/people";
import { Receiver } from "../support/receiver";
import { hasFocus } from "./focus";
import { looksRight } from "./looks";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen, seenInTime } from "./visit";

describeDashboard(
  "the lines",
  (dashboard) => {
    let receiver: Receiver;
    beforeAll(async () => {
      receiver = await Receiver.start();
    });
    afterAll(() => receiver.close());

    const open = async (page: Page, line: string, action: string) => {
      await page.getByRole("button", { name: `Actions for ${line}` }).click();
      await page.getByRole("menuitem", { name: action }).click();
      await seen(dialogOf(page));
    };
    /**
     * Closes the dialog of a secret without copying it.
     * @returns the secret
     */
    const secretIn = async (page: Page): Promise<string> => {
      await seen(dialogOf(page).getByText("Copy this secret now."));
      const secret = (await dialogOf(page).locator("pre").first().textContent()) ?? "";
      await dialogOf(page).getByRole("button", { name: "Done" }).click();
      await dialogOf(page).getByRole("button", { name: "Close without copying" }).click();
      await gone(dialogOf(page));
      return secret;
    };

    test("of webhooks are created, tested, edited, paused and resumed; their secrets are shown once", async () => {
      const { gateway } = dashboard;
      const { agentId, manager } = await addOrganization(gateway, "bridged");
      const page = await dashboard.visit("/lines", { as: manager });
      const dialog = dialogOf(page);
      await seen(rowOf(page, "main").getByText("Default"));
      await page.getByRole("button", { name: "Create line" }).click();
      await dialog.getByLabel("Name").fill("sms");
      await dialog.getByLabel("URL").fill("http://10.0.0.1/private");
      await page.keyboard.press("Enter");
      await seen(dialog.locator("[id$=error]"));
      await eventually(() => dialog.getByLabel("Name").inputValue()).toBe("sms");
      await dialog.getByLabel("URL").fill(receiver.url());
      await dialog.getByText("Advanced").click();
      const limit = dialog.getByLabel("Max messages per minute");
      await limit.fill("0");
      await dialog.getByText("Advanced").click();
      await gone(limit);
      await dialog.getByRole("button", { name: "Create line" }).click();
      await hasFocus(limit);
      await limit.fill("60");
      await page.keyboard.press("Enter");
      const secret = await secretIn(page);
      expect(secret).toMatch(/^whsec_/);
      const settings = page.getByRole("region", { name: "Settings" });
      await seen(settings.getByText(receiver.url()));
      const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      await seen(page.getByText(`${gateway.url}/inbound/${id}`, { exact: true }));

      await settings.getByRole("button", { name: "Send test message…" }).click();
      await dialog.getByLabel("To (optional)").fill("not a phone number");
      await dialog.getByRole("button", { name: "Send test message" }).click();
      await seen(dialog.locator("[id$=error]"));
      await dialog.getByLabel("To (optional)").fill("");
      await dialog.getByRole("button", { name: "Send test message" }).click();
      await seen(dialog.getByText("It works"));
      expect(receiver.onlyRequest().body).toContain("This is a test");
      await page.keyboard.press("Escape");
      await gone(dialog);

      await open(page, "sms", "Edit…");
      await dialog.getByLabel("Max messages per minute").fill("");
      await eventually(() => dialog.getByLabel("Expire after").inputValue()).toBe("3");
      await dialog.getByLabel("Expire after").fill("90");
      await dialog.getByLabel("Unit").selectOption("minutes");
      await dialog.getByRole("button", { name: "Save" }).click();
      await gone(dialog);
      await seen(settings.getByText("90 minutes"));
      await seen(settings.getByText("No limit"));

      // Someone else changes the line while the form is open, and the page shows the change.
      await open(page, "sms", "Edit…");
      await dialog.getByLabel("Max messages per minute").fill("7");
      const optOutReply = "You get no more messages.";
      const context = await operatorOfAgent(gateway, agentId);
      await gateway.services.lines.update(context, { id, optOutReply });
      await seenInTime(page.getByText(optOutReply));
      await dialog.getByRole("button", { name: "Save" }).click();
      await seen(dialog.getByRole("alert").getByText("This has changed since you opened it."));
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await gone(dialog);
      await open(page, "sms", "Edit…");
      await eventually(() => dialog.getByLabel("Reply to an opt-out").inputValue()).toBe(optOutReply);
      await dialog.getByLabel("Max messages per minute").fill("7");
      await dialog.getByRole("button", { name: "Save" }).click();
      await gone(dialog);
      await seen(settings.getByText(optOutReply));

      await open(page, "sms", "Rotate signing secret…");
      await dialog.getByRole("button", { name: "Rotate secret" }).click();
      await eventually(() => secretIn(page)).not.toBe(secret);
      await seen(settings.getByText("the previous one expires"));

      await open(page, "sms", "Pause…");
      await dialog.getByLabel("Reason (optional)").fill("the bridge moves");
      await page.keyboard.press("Enter");
      await seen(settings.getByText("the bridge moves"));
      await gone(dialog);
      await open(page, "sms", "Resume…");
      await dialog.getByRole("button", { name: "Resume" }).click();
      await seen(settings.getByText("Active"));
      await gone(dialog);

      await open(page, "sms", "Make default…");
      await dialog.getByRole("button", { name: "Make default" }).click();
      await seen(settings.getByText("Yes, used if no other line is specified"));
      await gone(dialog);
      await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Lines" }).click();
      await open(page, "main", "Archive…");
      await dialog.getByRole("button", { name: "Archive" }).click();
      await seen(rowOf(page, "main").getByText("Archived"));
    });

    test("that fail show since when and with which response, and count their messages", async () => {
      const { gateway } = dashboard;
      const { agentId } = await addOrganization(gateway, "failing");
      const owner = await addMember(gateway, { org: "failing", permissions: Object.values(Permission) });
      const { secret } = await mint(gateway, { agent: "failing-agent" });
      receiver.reaction = (response) => response.writeHead(500).end("words of the receiver");
      const { id, name } = await addWebhookLine(gateway, { agentId, url: receiver.url() });
      const addresses = [{ kind: AddressKind.phone, address: "+4915155500001" }];
      const contact = { id: await addContact(gateway, { agentId, addresses }) };
      const api = conversationClient(gateway, secret);
      const page = await whileDelivering(gateway, async () => {
        const { body } = await api.open({ contact, line: name, message: "One" });
        await api.send(body.data.openConversation.conversation.id, "Two");
        const page = await dashboard.visit("/lines", { as: owner });
        await seenInTime(rowOf(page, name).getByText("Failing"));
        await seen(rowOf(page, name).getByText(/since .*: The receiver responded with 500\.$/));
        await seen(rowOf(page, name).getByText(receiver.url().replace(/^https?:\/\/(.*?)\/?$/, "$1")));
        return page;
      });
      receiver.reaction = (response) => response.end();
      await looksRight(page);
      await rowOf(page, name).getByRole("link", { name }).click();
      await seen(
        page.getByRole("region", { name: "Settings" }).getByText("The receiver responded with 500."),
      );
      await eventually(() => page.getByText("words of the receiver").count()).toBe(0);
      await page.getByRole("button", { name: "Edit…" }).click();
      await dialogOf(page).getByRole("button", { name: "Cancel" }).click();
      const messages = page.getByRole("region", { name: "Messages" });
      const figures = () =>
        messages
          .locator("dl > div")
          .evaluateAll((all) => all.map((each) => (each as HTMLElement).innerText.split("\n")));
      await eventually(figures).toEqual([
        ["Queued", "1"],
        ["Held", "1"],
        ["Failed in 24 hours", "0"],
        ["Sent in 24 hours", "0"],
      ]);
      await looksRight(page);
      await messages.getByRole("link", { name: "1", exact: true }).nth(1).click();
      await page.waitForURL(new RegExp(`line=${id}&status=held`));
      await seen(rowOf(page, "One").getByText("Held"));
      await eventually(() => page.getByRole("table", { name: "Messages" }).getByRole("row").count()).toBe(2);
      await page.getByLabel("Line", { exact: true }).selectOption("All lines");
      await page.getByLabel("Status").selectOption("Queued");
      await seen(rowOf(page, "Two"));
      await eventually(() => rowOf(page, "One").count()).toBe(0);
    });

    test("of e-mail get their first secret, and keep their password unless another one is typed", async () => {
      const { gateway } = dashboard;
      const agentId = await firstAgentId(gateway);
      const page = await dashboard.visit(`/lines?agent=${agentId}&create=yes`);
      const dialog = dialogOf(page);
      await dialog.getByLabel("Name").fill("mail");
      await dialog.getByLabel("Kind").selectOption("E-mail");
      await dialog.getByLabel("From").fill("Acme Support <support@example.com>");
      await dialog.getByLabel("Mail server").fill("127.0.0.1");
      await dialog.getByLabel("User name").fill("mailer");
      await page.keyboard.press("Enter");
      // The password is missing.
      await seen(dialog.locator("[id$=error]"));
      await dialog.getByLabel("Password", { exact: true }).fill("a stored password");
      await page.keyboard.press("Enter");
      const settings = page.getByRole("region", { name: "Settings" });
      await seen(settings.getByText("support@example.com"));
      await gone(dialog);
      const create = page.getByRole("button", { name: "Create signing secret…" });
      await create.click();
      await dialog.getByRole("button", { name: "Create signing secret" }).click();
      await seen(dialog.getByText("Sign the requests that you post to the line with it"));
      await gone(dialog.getByText("Verify requests"));
      expect(await secretIn(page)).toMatch(/^whsec_/);
      await gone(create);
      await open(page, "mail", "Edit…");
      await eventually(() => dialog.getByLabel("Password", { exact: true }).inputValue()).toBe("");
      await dialog.getByLabel("Subject").fill("Your order");
      await dialog.getByRole("button", { name: "Save" }).click();
      await gone(dialog);
      await seen(settings.getByText("Your order"));
      const { body } = await gateway.graphql(
        "query ($agentId: ID!) { lines(agentId: $agentId) { name email { user hasPassword } } }",
        { agentId },
        { token: gateway.owner },
      );
      expect(body.data.lines).toContainEqual({ name: "mail", email: { user: "mailer", hasPassword: true } });
    });

    test("are for managers, and an unknown line is reported", async () => {
      const page = await dashboard.visit("/lines/00000000-0000-4000-8000-000000000000");
      await seen(page.getByText("No such line"));
      const viewer = await addMember(dashboard.gateway);
      const other = await dashboard.visit("/lines", { as: viewer });
      await seen(other.getByText("You don’t have access to this page"));
      await eventually(() => other.getByRole("link", { name: "Lines" }).count()).toBe(0);
    });
  },
  { ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
);
