import { Permission } from "../../src/auth/permissions";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { addLine } from "../support/lines";
import { addMember, firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { cutOff, laidOut } from "./layout";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen } from "./visit";

describeDashboard(
  "conversations",
  (dashboard) => {
    let agentId: string;
    beforeAll(async () => {
      agentId = await firstAgentId(dashboard.gateway);
    });
    /** Opens a conversation with a contact who has this name. */
    const talkTo = async (name: string, line?: string) => {
      const { gateway } = dashboard;
      const address = `${name} ${Math.random()}`;
      const added = await addConversation(gateway, { agentId, address, ...(line && { line }) });
      await addContact(gateway, {
        agentId,
        ref: null,
        name,
        addresses: [{ kind: AddressKind.local, address }],
      });
      return { ...added, address };
    };

    slowTest("an owner starts one, writes, hands off, moves and closes it", async () => {
      const { gateway } = dashboard;
      const { name: other } = await addLine(gateway, { agentId });
      await addContact(gateway, {
        agentId,
        name: "Ada Lovelace",
        addresses: [{ kind: AddressKind.local, address: "ada" }],
      });
      const page = await dashboard.visit("/conversations");
      await page.getByRole("button", { name: "New conversation" }).click();
      await dialogOf(page).getByLabel("Kind of address").selectOption("On this server");
      await dialogOf(page).getByLabel("Contact’s address").fill("nobody");
      await dialogOf(page).getByLabel("First message").fill("Hello Ada");
      await dialogOf(page).getByRole("button", { name: "Start conversation" }).click();
      await seen(dialogOf(page).getByRole("alert"));
      await eventually(() => dialogOf(page).getByLabel("First message").inputValue()).toBe("Hello Ada");
      await dialogOf(page).getByLabel("Contact’s address").fill("ada");
      await page.keyboard.press("Enter");

      await seen(page.getByRole("heading", { level: 1, name: "Ada Lovelace" }));
      const messages = page.getByRole("log", { name: "Messages" });
      const first = messages.getByRole("listitem").filter({ hasText: "Hello Ada" });
      await seen(first.getByText("Delivered"));
      await first.getByRole("button", { name: "1 attempt" }).click();
      await seen(first.getByRole("list", { name: "Attempts" }).getByText("Accepted"));

      await page.getByLabel("Message", { exact: true }).fill("<b>not bold</b>");
      await page.keyboard.press("ControlOrMeta+Enter");
      await seen(messages.getByText("<b>not bold</b>"));
      await eventually(() => page.getByLabel("Message", { exact: true }).inputValue()).toBe("");

      const tooLong = `${"x".repeat(10_000)} the end`;
      await page.getByLabel("Message", { exact: true }).fill(tooLong);
      await page.getByRole("button", { name: "Send" }).click();
      await seen(page.getByText(/10,?000 characters/));
      await eventually(() => page.getByLabel("Message", { exact: true }).inputValue()).toBe(tooLong);

      // Text that is typed while a message is being sent is the next message.
      let letGo = () => {};
      const isHeld = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route("**/graphql", async (route) => {
        if (route.request().postData()?.includes("sendToConversation")) await isHeld;
        return route.continue();
      });
      await page.getByLabel("Message", { exact: true }).fill("on its way");
      await page.getByRole("button", { name: "Send" }).click();
      await page.keyboard.type("the next one");
      letGo();
      await seen(messages.getByText("on its way"));
      await eventually(() => page.getByLabel("Message", { exact: true }).inputValue()).toBe("the next one");
      await page.unroute("**/graphql");
      await page.getByLabel("Message", { exact: true }).fill("");

      await page.getByRole("button", { name: "Hand off" }).click();
      await dialogOf(page).getByRole("button", { name: "Hand off" }).click();
      await seen(page.getByRole("button", { name: "Release to agent" }));
      await gone(dialogOf(page));
      await page.getByRole("button", { name: "Actions for this conversation" }).click();
      await page.getByRole("menuitem", { name: "Move to another line" }).click();
      await dialogOf(page).getByLabel("Line", { exact: true }).selectOption(`${other} (local)`);
      await dialogOf(page).getByRole("button", { name: "Move" }).click();
      await seen(page.getByText(`Moved to ${other}.`));
      await gone(dialogOf(page));
      await page.getByRole("button", { name: "Actions for this conversation" }).click();
      await page.getByRole("menuitem", { name: "Close conversation" }).click();
      await dialogOf(page).getByRole("button", { name: "Close conversation" }).click();
      await seen(page.getByText("This conversation is closed."));
      await eventually(() => page.getByLabel("Message", { exact: true }).count()).toBe(0);

      await page.getByRole("link", { name: "Conversations" }).first().click();
      await page.getByRole("link", { name: "Closed" }).click();
      await seen(rowOf(page, "Ada Lovelace").getByText(other));
      await page.getByLabel("Line").selectOption("main");
      await seen(page.getByText("No matching conversations"));
    });

    slowTest(
      "a member who may only read sees no way to write, and a member without permission sees no inbox",
      async () => {
        const { gateway } = dashboard;
        const { id } = await talkTo("Watched Person");
        const reader = await addMember(gateway, { permissions: [Permission.conversations_read] });
        const page = await dashboard.visit(`/conversations/${id}`, { as: reader });
        await seen(page.getByText(/Ask .*@.* for the permission conversations:write\./));
        for (const name of ["Hand off", "Add", "Actions for this conversation"])
          await eventually(() => page.getByRole("button", { name, exact: true }).count()).toBe(0);
        const none = await dashboard.visit("/conversations", { as: await addMember(gateway) });
        await seen(none.getByText("You don’t have access to this page"));
        await eventually(() => none.getByRole("link", { name: "Contacts" }).count()).toBe(0);
      },
    );

    slowTest(
      "long names, names in other scripts and a long address break neither the list nor the navigation",
      async () => {
        const { gateway } = dashboard;
        const { name: line } = await addLine(gateway, {
          agentId,
          name: `failing-bridge-${"with-long-name-".repeat(3)}`,
        });
        for (const name of ["y".repeat(100), "Maria de los Angeles ".repeat(4), "שרה כהן", "محمد عبد الله"])
          await talkTo(name.trim(), line);
        const email = `support.person.${"with.a.long.address.".repeat(2)}x@subdomain.of.a.long.company.example.com`;
        const permissions = Object.values(Permission);
        const member = await addMember(gateway, { email, permissions });
        const author = await addMember(gateway, { email: `author.${email}`, permissions });
        const { id } = await talkTo("Written to by a member");
        await gateway.graphql(
          'mutation ($id: ID!) { sendToConversation(input: { id: $id, text: "Hello" }) { id } }',
          { id },
          { token: author.token },
        );
        const page = await dashboard.visit("/conversations?state=open", { as: member });
        await seen(rowOf(page, "שרה כהן"));
        await seen(rowOf(page, author.email));
        for (const width of [360, 1920, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          await laidOut(page);
          await eventually(async () => [width, ...(await cutOff(page))]).toEqual([width]);
        }
        const startOf = (text: string) =>
          page
            .getByText(text, { exact: true })
            .first()
            .evaluate((element) => {
              const range = document.createRange();
              range.selectNodeContents(element);
              return Math.round(range.getBoundingClientRect().left);
            });
        await eventually(() => startOf("שרה כהן")).toBe(await startOf("y".repeat(100)));

        // The link of a row covers the row, so it has the tooltip of the text under the pointer.
        const link = rowOf(page, "שרה כהן").getByRole("link");
        await rowOf(page, "שרה כהן").locator("time").hover({ force: true });
        await eventually(() => link.getAttribute("title")).toMatch(/\d:\d\d:\d\d/);
        await rowOf(page, "שרה כהן").getByText("failing-bridge").hover({ force: true });
        await eventually(() => link.getAttribute("title")).toBe(line);
      },
    );
  },
  { DELIVERY_WORKERS: "2" },
);
