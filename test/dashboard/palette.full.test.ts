import { mintAccessToken, mintSessionToken } from "../../src/credentials/token-format";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { mint, operator } from "../support/gateway";
import { addLine } from "../support/lines";
import { addMember, firstAgentId } from "../support/people";
import { addEndpoint, storeDelivery } from "../support/webhooks";
import { violations } from "./axe";
import { hasFocus } from "./focus";
import { describeDashboard, dialogOf, eventually, gone, seen } from "./visit";

describeDashboard("the palette of the dashboard", (dashboard) => {
  test("leads to pages and API keys by keyboard", async () => {
    const { id } = await mint(dashboard.gateway, { name: "warehouse robot" });
    const page = await dashboard.visit();
    await seen(page.getByRole("button", { name: "Go to…" }));
    await page.keyboard.press("Control+k");
    const field = dialogOf(page).getByRole("combobox", { name: "Go to a page, or find anything" });
    await field.fill("audit");
    await seen(dialogOf(page).getByRole("option", { name: "Audit log" }));
    await eventually(() => dialogOf(page).getByRole("option").count()).toBe(1);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name: "Audit log" }));
    await gone(dialogOf(page));

    await page.keyboard.press("/");
    await field.fill("robot");
    await seen(dialogOf(page).getByRole("option", { name: "warehouse robot" }));
    await eventually(() => violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/dashboard/api-keys/${id}`);
    await gone(dialogOf(page));

    // The code of this page is already loaded, so its heading is shown before the dialog has closed.
    await page.keyboard.press("Control+k");
    await field.fill("audit");
    await eventually(() => dialogOf(page).getByRole("option").count()).toBe(1);
    await page.keyboard.press("Enter");
    await hasFocus(page.getByRole("heading", { name: "Audit log" }));
  });

  test("offers only what the member may see, and says when nothing is found", async () => {
    const member = await addMember(dashboard.gateway);
    const page = await dashboard.visit("", { as: member });
    await page.getByRole("button", { name: "Go to…" }).click();
    await seen(dialogOf(page).getByRole("option", { name: "Overview" }));
    await eventually(() => dialogOf(page).getByRole("option", { name: "API keys" }).count()).toBe(0);
    await dialogOf(page).getByRole("combobox").fill("no such page");
    await seen(dialogOf(page).getByText("Nothing found"));
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
  });

  test("opens a pasted ID, address, phone number or order number, and sends no part of a secret", async () => {
    const { gateway } = dashboard;
    const agentId = await firstAgentId(gateway);
    const addresses = [{ kind: AddressKind.phone, address: "+41 44 668 18 00" }];
    const id = await addContact(gateway, { agentId, name: "Pasted Person", addresses });
    const page = await dashboard.visit();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.postData() ?? ""));
    const field = dialogOf(page).getByRole("combobox");
    const option = dialogOf(page).getByRole("option", { name: "Pasted Person" });
    await seen(page.getByRole("button", { name: "Go to…" }));
    await page.keyboard.press("Control+k");
    for (const text of ["044 668 18 00", "pasted per", id]) {
      await field.fill(text);
      await seen(option);
    }
    await eventually(() => violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/dashboard/contacts/${id}`);
    await gone(dialogOf(page));

    for (const secret of [mintAccessToken(), mintSessionToken()]) {
      await page.keyboard.press("Control+k");
      await field.fill(`Bearer ${secret}`);
      await seen(dialogOf(page).getByText("was removed before anything was sent"));
      await eventually(() => field.inputValue()).toBe("");
      await page.keyboard.press("Escape");
      await gone(dialogOf(page));
      expect(sent.join()).not.toContain(secret.slice(0, 30));
    }
  });

  test("opens a line of any agent", async () => {
    const { gateway } = dashboard;
    const slug = "zz-last";
    const agent = await gateway.services.agents.create(await operator(gateway), { slug, name: "Last agent" });
    const { id, name } = await addLine(gateway, { agentId: agent.id });
    const page = await dashboard.visit();
    await seen(page.getByRole("button", { name: "Go to…" }));
    await page.keyboard.press("Control+k");
    await dialogOf(page).getByRole("combobox").fill(id);
    await seen(dialogOf(page).getByRole("option", { name }));
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { name, level: 1 }));
  });

  test("opens each delivery of a webhook whose page is open", async () => {
    const { gateway } = dashboard;
    const agentId = await firstAgentId(gateway);
    const endpoint = await addEndpoint(gateway);
    const ids = [
      await storeDelivery(gateway, endpoint, agentId),
      await storeDelivery(gateway, endpoint, agentId),
    ];
    const page = await dashboard.visit(`/webhooks/${endpoint.id}`);
    await seen(page.getByRole("table", { name: "Deliveries" }));
    const delivery = page.getByRole("dialog", { name: "Delivery" });
    for (const id of ids) {
      await page.keyboard.press("Control+k");
      await dialogOf(page).getByRole("combobox").fill(id);
      await seen(dialogOf(page).getByRole("option", { name: "line.paused" }));
      await page.keyboard.press("Enter");
      await seen(delivery.getByText(id));
      await page.keyboard.press("Escape");
      await gone(delivery);
    }
  });

  test("leaves the slash key to text fields and to the search of a page", async () => {
    const page = await dashboard.visit("/api-keys");
    const search = page.getByRole("searchbox");
    await seen(search);
    await page.keyboard.press("/");
    await hasFocus(search);
    await page.keyboard.type("a/b");
    await eventually(() => search.inputValue()).toBe("a/b");
  });
});
