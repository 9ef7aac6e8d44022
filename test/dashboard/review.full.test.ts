import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Message } from "../../src/features/messages/message.entity";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { addMember, firstAgentId } from "../support/people";
import { hasFocus, tabTo } from "./focus";
import { looksRight } from "./looks";
import {
  beforeNews,
  describeDashboard,
  eventually,
  follow,
  gone,
  pressEnter,
  seen,
  seenInTime,
} from "./visit";

const DOCUMENT = {
  situations: { offer: { text: "string" } },
  templates: { offer: "{{ situation.data.text }}" },
  rules: [{ id: "offer", on: "offer", do: [{ send: "offer", review: true }] }],
};

describeDashboard(
  "review",
  (dashboard) => {
    let agentId: string;
    let name: string;
    let conversation: string;
    beforeAll(async () => {
      agentId = await firstAgentId(dashboard.gateway);
      await publish(dashboard.gateway, agentId, DOCUMENT);
    });
    beforeEach(async () => {
      const { gateway } = dashboard;
      name = `אנה ${"x".repeat(60)} ${Math.random()}`;
      const address = `at ${Math.random()}`;
      conversation = (await addConversation(gateway, { agentId, address })).id;
      await addContact(gateway, {
        ...{ agentId, ref: null, name },
        addresses: [{ kind: AddressKind.local, address }],
      });
    });

    const propose = async (text: string): Promise<string> => {
      const { body } = await decisionClient(dashboard.gateway).decide({
        ...{ type: "offer", data: { text }, conversationId: conversation },
      });
      return body.explanation.effects[0].messageId;
    };
    const messageOf = (id: string) =>
      dashboard.gateway.services.database.read((reader) => reader.findOneByOrFail(Message, { id }));
    const link = (page: Page) =>
      page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: /^To review/ });

    test("waiting messages are counted in the navigation, and edited and approved with only the keyboard", async () => {
      const first = await propose("first offer");
      const second = await propose("second offer");
      const page = await dashboard.visit();
      await seenInTime(link(page).getByText("2"));
      const third = await propose("third offer");
      await seenInTime(link(page).getByText("3"));
      await link(page).focus();
      await page.keyboard.press("Enter");
      await seen(page.getByRole("heading", { level: 1, name: "To review" }));
      const items = page.getByRole("list", { name: "Messages to review" }).getByRole("listitem");
      await seen(items.nth(2));
      // The navigation now shows the count.
      await looksRight(page, {});

      await items.nth(0).getByRole("button", { name: /^Edit/ }).focus();
      await page.keyboard.press("Enter");
      const text = page.getByLabel("Text to send");
      await hasFocus(text);
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("a better offer");
      await looksRight(page);
      await text.focus();
      await page.keyboard.press("Control+Enter");
      await gone(page.getByText("first offer"));
      expect(await messageOf(first)).toMatchObject({ text: "a better offer", proposedText: "first offer" });

      // The next message has the focus.
      await hasFocus(items.nth(0));
      await tabTo(page, /^Discard/);
      await page.keyboard.press("Enter");
      await page.keyboard.type("not now");
      await page.keyboard.press("Escape");
      await pressEnter(items.nth(0).getByRole("button", { name: /^Discard/ }));
      await page.keyboard.type("too early");
      await page.keyboard.press("Control+Enter");
      await gone(page.getByText("second offer"));
      expect(await messageOf(second)).toMatchObject({ errorCode: "discarded", errorText: "too early" });

      await pressEnter(items.nth(0).getByRole("button", { name: /^Approve/ }));
      await seen(page.getByText("Nothing to review"));
      await gone(link(page).getByText("1"));
      expect(await messageOf(third)).toMatchObject({ text: "third offer", reviewedAt: expect.any(String) });
      await looksRight(page);
    });

    test("the next message has the focus, even if the list was reloaded long before the rest of the page", async () => {
      const [offer, next] = ["an offer", "another"].map((text) => `${text} ${Math.random()}`) as [
        string,
        string,
      ];
      const first = await propose(offer);
      await propose(next);
      const page = await dashboard.visit("/to-review");
      const items = page.getByRole("list", { name: "Messages to review" }).getByRole("listitem");
      const approve = items.filter({ hasText: offer }).getByRole("button", { name: /^Approve/ });
      await seen(approve);
      let answer = () => {};
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      let held = 0;
      await page.route("**/graphql", async (route) => {
        // Holds back all requests except the list and the approval.
        if (!/(query Proposed|mutation)\b/.test(route.request().postData() ?? "")) {
          held += 1;
          await answered;
        }
        await route.continue();
      });
      await approve.press("Enter");
      await gone(page.getByText(offer));
      await eventually(() => held).toBeGreaterThan(0);
      answer();
      await hasFocus(items.filter({ hasText: next }));
      expect(await messageOf(first)).toMatchObject({ reviewedAt: expect.any(String) });
      await page.unroute("**/graphql");
    });

    test("a click on a message that has just left the list does not approve the next one", async () => {
      const first = await propose("an offer");
      const second = await propose("an offer");
      // Without scrolling, the next message takes exactly the same place.
      const page = await dashboard.visit("/to-review", { viewport: { width: 1280, height: 3000 } });
      const button = (action: string) =>
        page.getByRole("button", { name: `${action} the message to ${name}` });
      await eventually(() => button("Approve").count()).toBe(2);
      const clicked = button("Approve")
        .first()
        .evaluate((approve) => {
          const { x, y } = approve.getBoundingClientRect();
          return new Promise((resolve) =>
            new MutationObserver(() => {
              if (approve.isConnected) return;
              const next = document.elementFromPoint(x + 5, y + 5)?.closest("button");
              next?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
              resolve(next?.getAttribute("aria-label"));
            }).observe(document, { subtree: true, childList: true }),
          );
        });
      await dashboard.gateway.rest("POST", `/messages/${first}/approve`, { body: {} });
      expect(await clicked).toBe(`Approve the message to ${name}`);
      await pressEnter(button("Discard"));
      await page.getByLabel("Reason (optional)").press("Control+Enter");
      await gone(page.getByLabel("Reason (optional)"));
      expect(await messageOf(first)).toMatchObject({ reviewedAt: expect.any(String), errorCode: null });
      expect(await messageOf(second)).toMatchObject({ errorCode: "discarded" });
    });

    test("a proposed message is a bubble in its conversation, and shows what was proposed after an edit", async () => {
      const message = await propose("an offer");
      const page = await dashboard.visit("/decisions");
      await seen(page.getByRole("row").nth(1).getByText("Proposed a message"));
      await page
        .getByRole("link", { name: /^offer/ })
        .first()
        .click();
      await seen(page.getByText("matched, so the agent proposed a message."));
      await page.goto(`${dashboard.gateway.url}/dashboard/conversations/${conversation}`);
      const bubble = page.getByRole("log", { name: "Messages" }).getByRole("listitem");
      await seen(bubble.getByText("To review"));
      await looksRight(page);
      await bubble.getByRole("button", { name: /^Edit/ }).click();
      await bubble.getByLabel("Text to send").fill("a better offer");
      await bubble.getByRole("button", { name: "Approve and send" }).click();
      await seenInTime(bubble.getByText("Delivered"));
      expect(await messageOf(message)).toMatchObject({ status: "delivered" });
      await bubble.getByText("Text proposed by the agent").press("Enter");
      await seen(bubble.getByText("an offer", { exact: true }));
      await looksRight(page);
      await page.goto(`${dashboard.gateway.url}/dashboard/messages/${message}`);
      await seen(page.getByText("Text proposed by the agent"));
    });

    test("an edit belongs to its message, and is still there after signing in again", async () => {
      const edited = await propose("an offer");
      const other = await propose("another offer");
      const page = await dashboard.visit(`/messages/${other}`);
      const edit = page.getByRole("button", { name: /^Edit/ });
      const field = page.getByLabel("Text to send");
      await seen(page.getByRole("main").getByText("another offer"));
      await follow(page, `/messages/${edited}`);
      await seen(page.getByRole("main").getByText("an offer"));
      await edit.click();
      await field.fill("a better offer");
      await page.goBack();
      await seen(page.getByRole("main").getByText("another offer"));
      await seen(edit);
      await eventually(() => field.count()).toBe(0);
      await page.goForward();
      await eventually(() => field.inputValue()).toBe("a better offer");

      await page.context().clearCookies();
      await seenInTime(page.getByLabel("Password", { exact: true }));
      await page.getByLabel("Password", { exact: true }).fill(dashboard.gateway.ownerCredentials.password);
      await page.keyboard.press("Enter");
      await eventually(() => field.inputValue()).toBe("a better offer");
      await page.getByRole("button", { name: "Approve and send" }).click();
      await gone(field);
      expect(await messageOf(edited)).toMatchObject({ text: "a better offer" });
      expect(await messageOf(other)).toMatchObject({ text: "another offer", status: "proposed" });
    });

    test("Escape discards no edit that is being sent, or whose text is being composed", async () => {
      const message = await propose("an offer");
      const page = await dashboard.visit(`/messages/${message}`);
      await page.getByRole("button", { name: /^Edit/ }).click();
      const field = page.getByLabel("Text to send");
      await field.fill("a better offer");
      await field.dispatchEvent("keydown", { key: "Escape", bubbles: true, isComposing: true });
      let lose = () => {};
      const sent = new Promise<void>((resolve) => {
        void page.route("**/graphql", async (route) => {
          if (!route.request().postData()?.includes("approveMessage")) return route.continue();
          await new Promise<void>((lost) => {
            lose = lost;
            resolve();
          });
          return route.abort();
        });
      });
      await field.press("Control+Enter");
      await sent;
      await field.press("Escape");
      lose();
      await seen(page.getByRole("alert"));
      await eventually(() => field.inputValue()).toBe("a better offer");
      await page.unroute("**/graphql");
      await field.press("Escape");
      await gone(field);
    });

    test("when two people review a message at the same time, the second one reads what happened to it", async () => {
      const message = await propose("an offer");
      const page = await dashboard.visit(`/conversations/${conversation}`);
      const discard = page.getByRole("button", { name: /^Discard/ });
      await discard.click();
      await beforeNews(
        page,
        () => dashboard.gateway.rest("POST", `/messages/${message}/approve`, { body: {} }),
        () => page.getByRole("button", { name: "Discard", exact: true }).click(),
      );
      await seen(page.getByText(/Only proposed messages can be approved/).or(page.getByText("Delivered")));
      expect(await messageOf(message)).toMatchObject({ text: "an offer", errorCode: null });
    });

    test("members who may only read see the waiting messages, without buttons", async () => {
      const { gateway } = dashboard;
      await propose("an offer");
      const reader = await addMember(gateway, {
        email: `reader-${Math.random()}@example.com`,
        permissions: [Permission.conversations_read],
      });
      const page = await dashboard.visit("/to-review", { as: reader });
      await seen(page.getByText(/Ask .*@.* for the permission conversations:write\./).first());
      await eventually(() => page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);

      // A page without messages, because they have been reviewed, leads to the first page.
      const last = "{ messages(status: proposed, first: 100) { pageInfo { endCursor } } }";
      const { endCursor } = (await gateway.graphql(last, {}, { token: reader.token })).body.data.messages
        .pageInfo;
      await page.goto(`${gateway.url}/dashboard/to-review?after=${encodeURIComponent(endCursor)}`);
      await seen(page.getByRole("list", { name: "Messages to review" }));
      await eventually(() => new URL(page.url()).search).toBe("");
    });
  },
  { DELIVERY_WORKERS: "1" },
);
