import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { addLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen } from "./visit";

/** "Nov 26, 2026, 6:12:22 AM UTC" */
const EXACT = /\d{4}, \d{1,2}:\d\d:\d\d .*[A-Z]/;

describeDashboard("messages", (dashboard) => {
  const PHONE = "+999000000002040";
  beforeAll(async () => {
    const { gateway } = dashboard;
    const agentId = await firstAgentId(gateway);
    const paused = await addLine(gateway, { agentId, name: "paused-sms" });
    await lineClient(gateway).pause(paused.id);
    for (const [name, address, line] of [
      ["Anna Fischer", "anna@x", "paused-sms"],
      ["שרה כהן", "sara@x", "main"],
      [null, PHONE, "main"],
    ] as const) {
      const kind = AddressKind.local;
      const id = await addContact(gateway, { agentId, name, addresses: [{ kind, address }] });
      await gateway.graphql(
        "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { conversation { id } } }",
        { input: { agentId, contact: { id }, line: { name: line }, text: `Hello ${name ?? "you"}` } },
        { token: gateway.owner },
      );
    }
  });

  test("show whether Anna got one: the recipient and line of each message, by contact and line", async () => {
    const page = await dashboard.visit("/messages");
    const anna = rowOf(page, "Hello Anna");
    for (const text of ["Anna Fischer", "anna@x", "paused-sms", "Queued", "You"])
      await seen(anna.getByText(text));
    await seen(rowOf(page, "שרה כהן").getByText("main"));
    await page.getByLabel("Search contacts").fill("fisch");
    await gone(rowOf(page, "שרה כהן"));
    await seen(anna);
    await eventually(() => page.url()).toContain("search=fisch");
    await page.getByLabel("Search contacts").fill("");
    await page.getByLabel("Line").selectOption("main");
    await gone(anna);
    await seen(rowOf(page, "שרה כהן"));

    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Contacts" }).click();
    await page.getByRole("link", { name: "Anna Fischer" }).click();
    await page.getByRole("link", { name: "View messages" }).click();
    await seen(anna);
    await gone(rowOf(page, "שרה כהן"));
    await page.getByRole("button", { name: "Clear the contact filter" }).getByText("Anna Fischer").click();
    await seen(rowOf(page, "שרה כהן"));
  });

  test("a phone number in a row can be selected, and a click on it opens the row", async () => {
    const page = await dashboard.visit("/messages");
    const phone = rowOf(page, "Hello you").getByText(PHONE);
    await seen(phone);
    const box = await phone.boundingBox();
    const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
    await page.mouse.move(x + 1, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 1, y + height / 2, { steps: 5 });
    await page.mouse.up();
    await eventually(() => page.evaluate(() => getSelection()?.toString())).toContain("999000000002040");
    await eventually(() => page.url()).toMatch(/\/messages$/);
    await page.getByRole("heading", { level: 1 }).click();
    await phone.click();
    await seen(page.getByRole("heading", { level: 1, name: "Message from your team" }));
  });

  test("the key T shows exact times in lists, and pages about one thing always have them", async () => {
    const page = await dashboard.visit("/messages");
    const time = rowOf(page, "Hello Anna").locator("time");
    await eventually(() => time.textContent()).toBe("just now");
    await page.keyboard.press("t");
    await eventually(() => time.textContent()).toMatch(EXACT);
    await page.keyboard.press("?");
    await seen(dialogOf(page).getByText("Exact times"));
    await page.keyboard.press("Escape");
    await gone(dialogOf(page));
    await page.keyboard.press("t");
    await eventually(() => time.textContent()).toMatch(/now|ago/);
    await page.getByRole("link", { name: "Hello Anna" }).click();
    const accepted = page
      .getByRole("definition")
      .filter({ has: page.locator("time") })
      .first();
    await eventually(() => accepted.textContent()).toMatch(
      new RegExp(`${EXACT.source}.* · (just now|.* ago)$`),
    );
  });

  test("a tap on a time shows exact times instead of opening the row", async () => {
    const page = await dashboard.visit("/messages", {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 360, height: 740 },
    });
    const time = rowOf(page, "Hello Anna").locator("time");
    await seen(time);
    await time.tap();
    await eventually(() => time.textContent()).toMatch(EXACT);
    await eventually(() => page.url()).toMatch(/\/messages$/);
  });

  test("its page leads to the line it waits on, and a message that was not sent can be written again", async () => {
    const page = await dashboard.visit("/messages");
    await page.getByRole("link", { name: "Hello Anna" }).click();
    await seen(page.getByRole("main").getByRole("link", { name: "paused-sms" }));
    await page.getByRole("button", { name: "Cancel message" }).click();
    await page.getByRole("button", { name: "Write again…" }).click();
    await eventually(() => page.getByLabel("Message", { exact: true }).inputValue()).toBe(
      "Hello Anna Fischer",
    );
    await page.getByRole("main").getByRole("link", { name: "paused-sms" }).click();
    await seen(rowOf(page, "paused-sms").getByText("Paused"));
  });
});
