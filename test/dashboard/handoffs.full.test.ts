import { Permission } from "../../src/auth/permissions";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { HandoffNotice } from "../../src/features/handoff-notices/handoff-notice.entity";
import { addContact } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { operator } from "../support/gateway";
import { addMember, firstAgentId, type TestMember } from "../support/people";
import { waitUntil } from "../support/wait-until";
import { hasFocus } from "./focus";
import { cutOff } from "./layout";
import { looksRight } from "./looks";
import {
  describeDashboard,
  dialogOf,
  eventually,
  follow,
  gone,
  pressEnter,
  rowOf,
  seen,
  seenInTime,
} from "./visit";

describeDashboard(
  "handoffs",
  (dashboard) => {
    let agentId: string;
    let anna: TestMember;
    let ben: TestMember;
    beforeAll(async () => {
      const { gateway } = dashboard;
      agentId = await firstAgentId(gateway);
      const permissions = [Permission.conversations_read, Permission.conversations_write];
      anna = await addMember(gateway, { email: "anna@example.com", permissions });
      const email = `ben.${"x".repeat(50)}@example.com`;
      ben = await addMember(gateway, { email, permissions });
    });

    const read: typeof dashboard.gateway.services.database.read = (query) =>
      dashboard.gateway.services.database.read(query);
    const noticesOf = (conversationId: string) =>
      read((reader) => reader.findBy(HandoffNotice, { conversationId }));
    const talkTo = async (name: string) => {
      const address = `${name} ${Math.random()}`;
      const { id } = await addConversation(dashboard.gateway, { agentId, address });
      await addContact(dashboard.gateway, {
        ...{ agentId, ref: null, name },
        addresses: [{ kind: AddressKind.local, address }],
      });
      return id;
    };

    test("a conversation is assigned with the keyboard, and found by its assignee", async () => {
      const [id] = [await talkTo("Mine"), await talkTo("Nobody’s")];
      const page = await dashboard.visit(`/conversations/${id}`, { as: anna });
      await seen(page.getByText("Unassigned", { exact: true }));
      await page.getByRole("button", { name: "Assign to me" }).focus();
      await page.keyboard.press("Enter");
      await gone(page.getByRole("button", { name: "Assign to me" }));
      await seen(page.getByText("You", { exact: true }));
      const assigneeOf = async () =>
        (await read((reader) => reader.findOneByOrFail(Conversation, { id }))).assigneeId;
      expect(await assigneeOf()).toBe(anna.id);
      await seen(page.getByText("You assigned the conversation to yourself"));
      await looksRight(page);

      await page.goto(`${dashboard.gateway.url}/dashboard/conversations?state=open`);
      await seen(rowOf(page, "Nobody’s"));
      await page.getByLabel("Assigned to").selectOption({ label: "Unassigned" });
      await gone(rowOf(page, "Mine"));
      expect(page.url()).toMatch(/assignee=unassigned$/);
      await seen(rowOf(page, "Nobody’s"));
      await page.getByLabel("Assigned to").selectOption({ label: "You (anna@example.com)" });
      await gone(rowOf(page, "Nobody’s"));
      await seen(rowOf(page, "Mine").getByText("Assigned to you", { exact: true }));
      await looksRight(page);
      await rowOf(page, "Mine").getByRole("link").click();

      await page.getByRole("button", { name: "Assign…" }).click();
      const dialog = dialogOf(page);
      const field = dialog.getByLabel("Assigned to");
      await hasFocus(field);
      await field.selectOption({ label: ben.email });
      await looksRight(page);
      await page.keyboard.press("Tab");
      await pressEnter(dialog.getByRole("button", { name: "Assign", exact: true }));
      await gone(dialog);
      await seen(page.getByText(ben.email, { exact: true }));
      expect(await assigneeOf()).toBe(ben.id);
      await looksRight(page);

      // The choice starts with the assignee, even if that member cannot read conversations.
      const { gateway } = dashboard;
      const carl = await addMember(gateway);
      await gateway.graphql(
        "mutation ($id: ID!, $memberId: ID) { assignConversation(input: { id: $id, memberId: $memberId }) { id } }",
        { id, memberId: carl.id },
        { token: anna.token },
      );
      await seenInTime(page.getByText(carl.email, { exact: true }));
      await page.getByRole("button", { name: "Assign…" }).click();
      await eventually(() => field.locator("option:checked").textContent()).toBe(carl.email);
    });

    test("the longest waiting contact is first in the queue, with the reason, until someone answers", async () => {
      const { gateway } = dashboard;
      const { id: other } = await gateway.services.agents.create(await operator(gateway), {
        slug: "other",
        name: `Other ${"agent ".repeat(15)}`,
      });
      await publish(gateway, agentId, {
        situations: { upset: {} },
        rules: [{ id: "upset", on: "upset", do: [{ handoff: `asked for a person ${"שלום ".repeat(20)}` }] }],
      });
      const first = await talkTo(`First ${"x".repeat(90)}`);
      const { id: second } = await addConversation(gateway, {
        agentId: other,
        address: "a@".padEnd(96, "b"),
      });
      await decisionClient(gateway).decide({ type: "upset", conversationId: first });
      await gateway.graphql(
        "mutation ($id: ID!) { handOffConversation(input: { id: $id }) { canceled } }",
        { id: second },
        { token: ben.token },
      );
      const page = await dashboard.visit("/conversations", { as: anna, clock: true });
      await seen(page.getByText("asked for a person"));
      await eventually(() => page.title()).toBe("(2) Conversations · Gateway");
      await seen(page.getByRole("link", { name: "Needs reply 2" }));
      await seen(page.getByRole("link", { name: "Conversations 2" }));
      await eventually(() => page.getByRole("row").nth(1).textContent()).toContain("First");
      await eventually(() => cutOff(page)).toEqual([]);
      await looksRight(page);
      await page.getByRole("searchbox").fill("first");
      await gone(rowOf(page, "bbbb"));
      await page.getByRole("heading", { level: 1 }).click();
      await page.keyboard.press("?");
      await seen(dialogOf(page).getByText("Next row in a list"));
      await page.keyboard.press("Escape");
      await gone(dialogOf(page));
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      const log = page.getByRole("log", { name: "Messages" });
      await seen(log.getByText("Agent handed off the conversation"));
      await seen(log.getByRole("link", { name: "Why?" }));
      await looksRight(page);
      await page.getByLabel("Message", { exact: true }).fill("I am here");
      await page.keyboard.press("ControlOrMeta+Enter");
      await seen(log.getByText("You", { exact: true }));
      await eventually(() => page.title()).toMatch(/^\(1\) /);
      await page.goto(`${gateway.url}/dashboard/conversations?agent=${agentId}`, {});
      await seen(page.getByText("No conversations need a reply"));

      // A hidden page still counts.
      await page.evaluate(() => {
        Object.defineProperty(document, "visibilityState", { value: "hidden" });
        document.dispatchEvent(new Event("visibilitychange"));
      });
      await conversationClient(gateway).handOff(await talkTo("Unseen"));
      await page.clock.runFor(20_000);
      await eventually(() => page.title()).toBe("(2) Conversations · Gateway");
    });

    test("members who may only read see the assignee, without buttons, and no count after signing out", async () => {
      const { gateway } = dashboard;
      const reader = await addMember(gateway, { permissions: [Permission.conversations_read] });
      const id = await talkTo("Read only");
      await conversationClient(gateway).handOff(id);
      const page = await dashboard.visit(`/conversations/${id}`, { as: reader });
      await seen(page.getByText("Unassigned", { exact: true }));
      await eventually(() => page.getByRole("button", { name: /^Assign/ }).count()).toBe(0);
      await eventually(() => page.title()).toMatch(/^\(\d+\) /);
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await eventually(() => page.title()).toBe("Sign in · Gateway");
    });

    test("notices of an agent's handoffs are turned on, and stop when the conversation is opened", async () => {
      const { gateway } = dashboard;
      const page = await dashboard.visit("/settings/profile", { as: anna });
      const toggle = page.getByRole("switch", { name: "First agent" });
      await seen(toggle);
      await toggle.focus();
      await page.keyboard.press("Space");
      await seen(page.getByText("You’ll get e-mails about First agent’s handoffs."));
      await eventually(() => toggle.isChecked()).toBe(true);
      await looksRight(page);

      const [unread, opened] = [await talkTo("Unread"), await talkTo("Opened")];
      const api = conversationClient(gateway);
      await api.handOff(opened);
      await api.handOff(unread);
      expect([await noticesOf(opened), await noticesOf(unread)]).toMatchObject([
        [{ memberId: anna.id }],
        [{ memberId: anna.id }],
      ]);
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.postData() ?? ""));
      const turn = (visibilityState: string) =>
        page.evaluate((value) => {
          Object.defineProperty(document, "visibilityState", { value, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }, visibilityState);
      await turn("hidden");
      await follow(page, `/conversations/${opened}`);
      await seen(page.getByRole("button", { name: "Release to agent" }));
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
      // The member has not seen the conversation yet.
      expect(requests.filter((request) => request.includes("markConversationOpened("))).toEqual([]);
      await turn("visible");
      await waitUntil(async () => (await noticesOf(opened)).length === 0);
      expect(await noticesOf(unread)).toHaveLength(1);

      await api.release(opened);
      await seenInTime(page.getByRole("button", { name: "Hand off" }));
      await api.handOff(opened);
      await seenInTime(page.getByRole("button", { name: "Release to agent" }));
      await waitUntil(async () => (await noticesOf(opened)).length === 0);

      await page.goto(`${gateway.url}/dashboard/settings/profile`);
      await toggle.click();
      await seen(page.getByText("You’ll get no more e-mails about First agent’s handoffs."));
      await api.handOff(await talkTo("Later"));
      expect(await read((reader) => reader.countBy(HandoffNotice, { memberId: anna.id }))).toBe(1);
    });
  },
  // Without senders, nothing is sent.
  { SMTP_URL: "smtp://127.0.0.1:9?ignoreTLS=true", MAIL_FROM: "gateway@example.com" },
);
