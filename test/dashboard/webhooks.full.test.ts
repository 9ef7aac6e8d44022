import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { addMember, addOrganization, operatorOfAgent } from "../support/people";
import { Receiver } from "../support/receiver";
import { addEvents } from "../support/webhooks";
import { hasFocus } from "./focus";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen, seenInTime } from "./visit";

describeDashboard(
  "the webhooks",
  (dashboard) => {
    let receiver: Receiver;
    beforeAll(async () => {
      receiver = await Receiver.start();
    });
    afterAll(() => receiver.close());

    const open = async (page: Page, action: string) => {
      await page.getByRole("button", { name: "Actions for the webhook" }).click();
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

    test("are created for some types, tested, watched, disabled, redelivered and deleted", async () => {
      const { gateway } = dashboard;
      const { agentId } = await addOrganization(gateway, "hooked");
      const permissions = [Permission.config_manage, Permission.conversations_read];
      const manager = await addMember(gateway, { org: "hooked", permissions });
      const page = await dashboard.visit("/webhooks", { as: manager });
      const dialog = dialogOf(page);
      await page.getByRole("button", { name: "Create your first webhook" }).click();
      await dialog.getByLabel("URL").fill("http://10.0.0.1/private");
      await dialog.getByLabel("Description (optional)").fill("For the CRM");
      await dialog.getByLabel("Agent").selectOption("Agent of hooked");
      await dialog.getByLabel("Events", { exact: true }).selectOption("Only some…");
      await dialog.getByRole("button", { name: "Create webhook" }).click();
      await seen(dialog.getByRole("alert").getByText("Choose at least one event."));
      await dialog.getByLabel("line.paused").check();
      await eventually(() => dialog.getByRole("alert").count()).toBe(0);
      await dialog.getByLabel("api_key.leaked").check();
      await dialog.getByRole("button", { name: "Create webhook" }).click();
      await seen(dialog.locator("[id$=error]"));
      await dialog.getByLabel("URL").fill(receiver.url());
      await dialog.getByRole("button", { name: "Create webhook" }).click();
      const secret = await secretIn(page);
      expect(secret).toMatch(/^whsec_/);
      const settings = page.getByRole("region", { name: "Settings" });
      await seen(settings.getByText("For the CRM"));
      await seen(settings.getByText("line.paused"));
      await seen(settings.getByText("api_key.leaked"));
      await seen(page.getByText("No deliveries yet"));

      await settings.getByRole("button", { name: "Send test event…" }).click();
      await dialog.getByRole("button", { name: "Send test event" }).click();
      await seen(dialog.getByText("It works"));
      expect(JSON.parse(receiver.received.at(-1)?.body ?? "{}").type).toBe("webhook.test");
      receiver.reaction = (response) => response.writeHead(503).end();
      await dialog.getByRole("button", { name: "Send again" }).click();
      await seen(dialog.getByText("Not delivered, but a real delivery would be retried"));
      await page.keyboard.press("Escape");
      await gone(dialog);

      receiver.reaction = (response) => response.end();
      await addEvents(gateway, agentId, ["one"]);
      await seenInTime(rowOf(page, "line.paused").getByText("Delivered"));
      receiver.reaction = (response) => response.writeHead(500).end("broken");
      await addEvents(gateway, agentId, ["two"]);
      await seenInTime(
        rowOf(page, "line.paused")
          .filter({ hasText: "Pending" })
          .getByText(/^next attempt (now|in )/),
      );
      await seenInTime(settings.getByText("Failing"));
      await seen(settings.getByText(/^since .* · just now$/));
      await rowOf(page, "line.paused")
        .filter({ hasText: "Pending" })
        .getByRole("button", { name: "line.paused" })
        .click();
      await seen(dialog.getByText("line:two", { exact: true }));
      await seen(dialog.getByText("Pending"));
      await seen(dialog.getByRole("list", { name: "Attempts" }).getByText("500", { exact: true }));
      await dialog.getByText("Headers").first().click();
      await seen(dialog.getByText("webhook-signature"));
      await seen(dialog.locator("pre").filter({ hasText: '"subject":"line:two"' }));
      const before = receiver.received.length;
      await dialog.getByRole("button", { name: "Send now" }).click();
      await eventually(() => receiver.received.length).toBeGreaterThan(before);
      await hasFocus(dialog.getByRole("button", { name: "Send now" }));
      await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
      await gone(dialog);
      await page.getByLabel("Status").selectOption("Failed");
      await seen(page.getByText("No matching deliveries"));
      await page.getByRole("button", { name: "Clear filters" }).click();
      await seen(rowOf(page, "500"));

      await open(page, "Disable…");
      await dialog.getByRole("button", { name: "Disable" }).click();
      await seen(settings.getByText("Disabled by a manager"));
      await gone(dialog);
      await addEvents(gateway, agentId, ["missed"]);
      receiver.reaction = (response) => response.end();
      await open(page, "Enable…");
      await dialog.getByRole("button", { name: "Enable" }).click();
      await gone(dialog);
      await open(page, "Redeliver…");
      await dialog.getByLabel("Since").selectOption("The last hour");
      await seen(dialog.getByText("Resends 1 missed event, oldest first. Delivered events are skipped."));
      await dialog.getByRole("button", { name: "Redeliver" }).click();
      await gone(dialog);
      await seenInTime(rowOf(page, "Delivered").nth(2));
      expect(receiver.received.some(({ body }) => body.includes("line:missed"))).toBe(true);

      await addEvents(gateway, agentId, ["missed"]);
      await seenInTime(rowOf(page, "Delivered").nth(3));
      receiver.reaction = (response) => response.writeHead(500).end();
      // The second event waits for the first one, which has the same subject.
      for (const [row, toast] of [
        [1, "The event is being sent again."],
        [0, "The event will be sent again after an earlier event with the same subject."],
      ] as const) {
        await rowOf(page, "line.paused").nth(row).getByRole("button", { name: "line.paused" }).click();
        await dialog.getByRole("button", { name: "Send this one again" }).click();
        await seen(page.getByText(toast));
        await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
        await gone(dialog);
      }

      await open(page, "Rotate signing secret…");
      await dialog.getByRole("button", { name: "Rotate secret" }).click();
      await eventually(() => secretIn(page)).not.toBe(secret);
      await open(page, "Edit…");
      await eventually(() => dialog.getByLabel("line.paused").isChecked()).toBe(true);
      await dialog.getByLabel("Events", { exact: true }).selectOption("All events");
      // Someone else changes another field while the form is open.
      const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      const context = await operatorOfAgent(gateway, agentId);
      await gateway.services.webhooks.update(context, { id, description: "For the warehouse" });
      await seenInTime(page.getByText("For the warehouse"));
      await dialog.getByRole("button", { name: "Save" }).click();
      await gone(dialog);
      await gone(settings.getByText("line.paused"));
      await seen(settings.getByText("For the warehouse"));
      await open(page, "Delete…");
      await dialog.getByRole("button", { name: "Delete webhook" }).click();
      await seen(page.getByText("No webhooks yet"));
    });

    test("are for managers only", async () => {
      const viewer = await addMember(dashboard.gateway);
      const page = await dashboard.visit("/webhooks", { as: viewer });
      await seen(page.getByText("You don’t have access to this page"));
    });
  },
  { DELIVERY_WORKERS: "4", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
);
