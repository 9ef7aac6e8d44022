import type { Request } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { HOUR_MS, timestamp } from "../../src/common/time";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { addContact, contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { addSender, senderOn } from "../support/inbound";
import { addLine, lineClient } from "../support/lines";
import { addMember, firstAgentId } from "../support/people";
import { waitUntil } from "../support/wait-until";
import { looksRight } from "./looks";
import { describeDashboard, dialogOf, eventually, gone, rowOf, seen, seenInTime, type Visit } from "./visit";

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

    test("the contact's messages appear automatically, and lead to the agent's decision", async () => {
      const { gateway } = dashboard;
      await publish(gateway, agentId, {
        burstSeconds: 0,
        templates: { hi: "You wrote {{ message.text }}" },
        rules: [{ id: "echo", on: "message.received", do: [{ send: "hi" }] }],
      });
      const sender = await addSender(gateway, { agentId });
      const from = "writer";
      await sender.text(from, "first");
      const find = async () => {
        const { body } = await conversationClient(gateway).list({ first: 100 });
        return body.data.conversations.nodes.find((node: { address: string }) => node.address === from);
      };
      await waitUntil(async () => (await find()) !== undefined);
      const page = await dashboard.visit(`/conversations/${(await find()).id}`);
      const messages = page.getByRole("log", { name: "Messages" });
      await seen(messages.getByText("You wrote first"));
      await sender.text(from, "second שלום");
      const inbound = messages.getByRole("listitem").filter({ hasText: "second" }).first();
      await seenInTime(inbound);
      await seenInTime(messages.getByText("You wrote second"));
      await messages
        .getByRole("listitem")
        .filter({ hasText: "You wrote second" })
        .getByRole("link", { name: "Why?" })
        .click();
      await seen(page.getByRole("heading", { level: 1, name: "message.received" }));
      await seen(page.getByText("matched, so the agent sent a message."));
      await seen(
        page.getByRole("region", { name: "What happened" }).getByRole("link", { name: "second שלום" }),
      );
    });

    test("a move to the line of another open conversation with the contact leads to that conversation", async () => {
      const { gateway } = dashboard;
      const { name: other } = await addLine(gateway, { agentId });
      const { id, contactId } = await talkTo("Talks Twice");
      const { body } = await conversationClient(gateway).open({ contact: { id: contactId }, line: other });
      const there = body.data.openConversation.conversation.id;
      const page = await dashboard.visit(`/conversations/${id}`);
      await page.getByRole("button", { name: "Actions for this conversation" }).click();
      await page.getByRole("menuitem", { name: "Move to another line" }).click();
      await dialogOf(page).getByLabel("Line", { exact: true }).selectOption(`${other} (local)`);
      await dialogOf(page).getByRole("button", { name: "Move" }).click();
      await seen(
        dialogOf(page).getByText(`A conversation with this address is already open on the line "${other}".`),
      );
      await dialogOf(page).getByRole("link", { name: "Open that conversation" }).click();
      await eventually(() => new URL(page.url()).pathname).toBe(`/dashboard/conversations/${there}`);
      await gone(dialogOf(page));
    });

    test("a paused line cannot be chosen for a move, even by support, who may not see the lines' settings", async () => {
      const { gateway } = dashboard;
      const { id: lineId, name: paused } = await addLine(gateway, { agentId });
      await lineClient(gateway).pause(lineId);
      const { id } = await talkTo("Stays Here");
      const move = async (visit: Visit = {}) => {
        const page = await dashboard.visit(`/conversations/${id}`, visit);
        await seen(
          page.getByRole("region", { name: "Conversation" }).getByRole("link", { name: "First agent" }),
        );
        await page.getByRole("button", { name: "Actions for this conversation" }).click();
        await page.getByRole("menuitem", { name: "Move to another line" }).click();
        return dialogOf(page);
      };
      const permissions = [Permission.conversations_read, Permission.conversations_write];
      for (const visit of [{}, { as: await addMember(gateway, { permissions }) }]) {
        const dialog = await move(visit);
        await seen(dialog.getByText("Only active lines that can reach this contact can be chosen."));
        const option = dialog.getByRole("option", { name: `${paused} (local, paused)` });
        await eventually(() => option.isDisabled()).toBe(true);
      }
    });

    test("a long thread opens at its end, and older messages are loaded on demand", async () => {
      const { gateway } = dashboard;
      const { id } = await talkTo("Patient Reader");
      for (let i = 1; i <= 90; i++) await conversationClient(gateway).send(id, `number ${i}.`);
      const page = await dashboard.visit(`/conversations/${id}`);
      const messages = page.getByRole("log", { name: "Messages" });
      await seen(messages.getByText("number 90."));
      await eventually(() => messages.getByRole("listitem").count()).toBe(30);
      // Screen readers announce changes in a log, but must not announce that each message has become older.
      await seen(messages.locator("time"));
      await eventually(() => messages.locator("time:not([aria-live=off])").count()).toBe(0);
      const place = () => messages.evaluate((log) => log.scrollTop);
      await eventually(place).toBe(0);
      await messages.getByRole("button", { name: "Load older messages" }).click();
      await seen(messages.getByText("number 11."));
      await eventually(place).toBeLessThan(0);
      await messages.getByRole("button", { name: "Load older messages" }).click();
      await gone(messages.getByRole("button", { name: "Load older messages" }));
      await eventually(() => messages.getByRole("listitem").count()).toBe(90);
      await conversationClient(gateway).send(id, "number 91.");
      await seenInTime(messages.getByText("number 91."));
    });

    test("a thread shows the state of a message that changes after many others were sent", async () => {
      const { gateway } = dashboard;
      const { id: lineId, name } = await addLine(gateway, { agentId });
      const { id } = await talkTo("Late Reader", name);
      const { body } = await conversationClient(gateway).send(id, "the first one");
      const page = await dashboard.visit(`/conversations/${id}`);
      const messages = page.getByRole("log", { name: "Messages" }).getByRole("listitem");
      const first = messages.filter({ hasText: "the first one" });
      await seenInTime(first.getByText("Delivered"));
      for (let i = 2; i <= 35; i++) await conversationClient(gateway).send(id, `number ${i}.`);
      await seenInTime(messages.filter({ hasText: "number 35." }));
      const message = { id: body.data.sendToConversation.id };
      await gateway.services.receipts.apply({ lineId, message, status: MessageStatus.read });
      await seenInTime(first.getByText("Read", { exact: true }));

      // The messages before one that is being sent are polled less often.
      const last = messages.filter({ hasText: "number 35." });
      for (const [status, label, count] of [
        [MessageStatus.sending, "Sending", 1],
        [MessageStatus.delivered, "Delivered", 35],
      ] as const) {
        const polled = page.waitForRequest((request) => {
          const { query, variables } = request.postDataJSON() ?? {};
          return /query Thread\b/.test(query) && variables.recent === count;
        });
        await gateway.rows.update(Message, { conversationId: id, text: "number 35." }, { status });
        await seenInTime(last.getByText(label, { exact: true }));
        await polled;
      }
    });

    test("the list starts with the latest activity, and shows the last message of each conversation", async () => {
      const { gateway } = dashboard;
      const { id } = await talkTo("Earlier Person");
      await talkTo("Later Person");
      const page = await dashboard.visit("/conversations?state=open");
      await seen(rowOf(page, "Later Person"));
      const first = page.getByRole("row").nth(1);
      await eventually(() => first.textContent()).toContain("Later Person");
      await conversationClient(gateway).send(id, `It’s <i>here</i>\n${"x".repeat(200)}`);
      await page.reload();
      await seen(first.getByText("Earlier Person"));
      await seen(first.getByText("API", { exact: true }));
      await seen(first.getByText(`It’s <i>here</i> ${"x".repeat(83)}…`, { exact: true }));
    });

    test("a message that the policy holds back says until when, in the contact's time zone", async () => {
      const { gateway } = dashboard;
      // Tokyo is nine hours ahead all year.
      const inTokyo = (hours: number) => timestamp((9 + hours) * HOUR_MS).slice(11, 16);
      await publish(gateway, agentId, {
        situations: { news: {} },
        templates: { news: "Your news" },
        policy: { windows: [{ from: inTokyo(2), to: inTokyo(3) }] },
        rules: [{ id: "news", on: "news", do: [{ send: "news" }] }],
      });
      const { id, address } = await talkTo("Early Bird");
      await contactClient(gateway).put({
        addresses: [{ kind: AddressKind.local, address }],
        timezone: "Asia/Tokyo",
      });
      const { body } = await decisionClient(gateway).decide({ type: "news", conversationId: id });
      const waits = /at this hour\. Waits until .+ \(Early Bird’s time\), in [12] hours?\./;
      const page = await dashboard.visit(`/conversations/${id}`);
      await seen(page.getByRole("log").getByRole("listitem").filter({ hasText: waits }));
      await page.goto(`${gateway.url}/dashboard/messages/${body.explanation.effects[0].messageId}`);
      await seen(page.getByText(waits));
      await page.goto(`${gateway.url}/dashboard/decisions/${body.id}`);
      await seen(page.getByText(waits));
    });

    test("a thread with more scheduled messages than it shows leads to all of them", async () => {
      const { gateway } = dashboard;
      await publish(gateway, agentId, {
        situations: { news: {}, offer: {} },
        templates: { news: "Your news", offer: "Your offer" },
        rules: [
          { id: "news", on: "news", do: [{ send: "news", delaySeconds: 3_600 }] },
          { id: "offer", on: "offer", do: [{ send: "offer", review: true }] },
        ],
      });
      const { id } = await talkTo("Much To Come");
      const decide = (type: string) => decisionClient(gateway).decide({ type, conversationId: id });
      for (let i = 1; i <= 20; i++) await decide("news");
      const page = await dashboard.visit(`/conversations/${id}`);
      const messages = page.getByRole("log", { name: "Messages" });
      await eventually(() => messages.getByText("Your news").count()).toBe(20);
      const link = messages.getByRole("link", { name: "More messages are waiting" });
      await eventually(() => link.count()).toBe(0);
      await decide("offer");
      await seenInTime(link);
      await looksRight(page);
      await link.click();
      await seen(rowOf(page, "Your offer").getByText("To review"));
      await seen(rowOf(page, "Your news").getByText("Scheduled", { exact: true }));
      await seen(page.getByRole("button", { name: "Clear the contact filter" }).getByText("Much To Come"));
    });

    test("a thread shows the messages received while its newest message was rescheduled", async () => {
      const { gateway } = dashboard;
      const inUtc = (hours: number) => timestamp(hours * HOUR_MS).slice(11, 16);
      const publishWindow = (fromHours: number, toHours: number) =>
        publish(gateway, agentId, {
          situations: { news: {} },
          templates: { news: "Your news" },
          policy: { windows: [{ from: inUtc(fromHours), to: inUtc(toHours) }] },
          rules: [{ id: "news", on: "news", do: [{ send: "news" }] }],
        });
      await publishWindow(-1, 12);
      const line = await addLine(gateway, { agentId });
      await lineClient(gateway).pause(line.id);
      const { id, address } = await talkTo("Night Owl", line.name);
      await decisionClient(gateway).decide({ type: "news", conversationId: id });
      const page = await dashboard.visit(`/conversations/${id}`);
      const messages = page.getByRole("log", { name: "Messages" });
      const news = messages.getByRole("listitem").filter({ hasText: "Your news" });
      await seen(news.getByText("Waiting: its line is paused."));
      await publishWindow(2, 3);
      await lineClient(gateway).resume(line.id);
      await seenInTime(news.getByText("The policy does not allow messages to the contact at this hour."));
      await (await senderOn(gateway, agentId, line.id)).text(address, "written overnight");
      await seenInTime(messages.getByText("written overnight"));
    });

    test("the dialog for a release says that it releases all conversations with the contact", async () => {
      const { gateway } = dashboard;
      await publish(gateway, agentId, {
        situations: { upset: {} },
        rules: [{ id: "upset", on: "upset", do: [{ handoff: "upset", scope: "contact" }] }],
      });
      const { id } = await talkTo("Upset");
      await decisionClient(gateway).decide({ type: "upset", conversationId: id });
      const page = await dashboard.visit(`/conversations/${id}`);
      await page.getByRole("button", { name: "Release to agent" }).click();
      await seen(dialogOf(page).getByText("the agent answers in all of them again"));
    });

    test("a conversation that was released too soon is handed off again", async () => {
      const { id } = await talkTo("Released Too Soon");
      await conversationClient(dashboard.gateway).handOff(id);
      const page = await dashboard.visit(`/conversations/${id}`);
      await page.getByRole("button", { name: "Release to agent" }).click();
      await seen(page.getByRole("status").getByText("Released to the agent."));
      await seen(page.getByRole("button", { name: "Hand off", exact: true }));
      await page.getByRole("button", { name: "Hand off again" }).click();
      await seen(page.getByRole("button", { name: "Release to agent" }));
    });

    test("a held message says why, and is canceled", async () => {
      const { gateway } = dashboard;
      const line = await addLine(gateway, { agentId });
      await lineClient(gateway).pause(line.id);
      const { id } = await talkTo("Waiting Person", line.name);
      await conversationClient(gateway).send(id, "never mind");
      const page = await dashboard.visit(`/conversations/${id}`);
      const message = page.getByRole("log").getByRole("listitem").filter({ hasText: "never mind" });
      await seen(message.getByText("Waiting: its line is paused."));
      await message.getByRole("button", { name: "Cancel message" }).click();
      await seen(message.getByText("Canceled manually."));
      await message.getByRole("link", { name: "Details" }).click();
      await seen(page.getByRole("heading", { level: 1, name: "Message from the API" }));
      await page.getByRole("link", { name: "Messages" }).first().click();
      await page.getByLabel("Status").selectOption("Canceled");
      await seen(rowOf(page, "never mind"));
    });

    test("before a message to a contact who opted out is written, the page says that it will be canceled", async () => {
      const { id, contactId } = await talkTo("Opted Out");
      const page = await dashboard.visit(`/conversations/${id}`);
      const notice = page.getByRole("note").getByText("The contact has opted out");
      await seen(page.getByLabel("Message", { exact: true }));
      await eventually(() => notice.count()).toBe(0);
      const consent = `/agent/contacts/${contactId}/consents/*`;
      await dashboard.gateway.rest("PUT", consent, { body: { state: "out" } });
      await page.reload();
      await seen(notice);
      await page.locator("main header").getByRole("link", { name: "Conversations" }).click();
      await page.waitForURL(/\/conversations$/);
    });

    test("a text that could not be sent is kept, and so is a text whose page was left", async () => {
      const { id } = await talkTo("Offline Person");
      const page = await dashboard.visit(`/conversations/${id}`);
      const field = page.getByLabel("Message", { exact: true });
      await field.fill("draft");
      await page.route("**/graphql", (route) => route.abort());
      await field.press("ControlOrMeta+Enter");
      await seen(page.getByRole("alert"));
      await eventually(() => field.inputValue()).toBe("draft");
      await page.context().unrouteAll();
      await page.unrouteAll();
      await page.getByRole("link", { name: "Pets" }).click();
      await page.goBack();
      await eventually(() => field.inputValue()).toBe("draft");
      await page.getByRole("button", { name: "Send" }).click();
      await seen(page.getByRole("log").getByText("draft"));
      await eventually(() => field.inputValue()).toBe("");

      // The request is held back, and the next text typed.
      const send = async (text: string, isLost: boolean) => {
        let release = () => {};
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        await page.unrouteAll();
        await page.route("**/graphql", async (route) => {
          if (!route.request().postData()?.includes("sendToConversation")) return route.continue();
          await released;
          return isLost ? route.abort() : route.continue();
        });
        await field.fill(text);
        await field.press("ControlOrMeta+Enter");
        await eventually(() => field.inputValue()).toBe("");
        await field.fill("next");
        return release;
      };
      const leave = async () => {
        await page.getByRole("link", { name: "Pets" }).click();
        await gone(field);
        await page.goBack();
        await eventually(() => field.inputValue()).toBe("next");
      };
      const lose = await send("lost on its way", true);
      await leave();
      lose();
      await seen(page.getByRole("status").getByText("Can’t reach the server. Try again in a moment."));
      await eventually(() => field.inputValue()).toBe("lost on its way\nnext");
      const deliver = await send("sent after all", false);
      await leave();
      deliver();
      await seen(page.getByRole("log").getByText("sent after all"));
      await eventually(() => field.inputValue()).toBe("next");
      const cancel = await send("reloaded", true);
      await page.reload();
      await eventually(() => field.inputValue()).toBe("reloaded\nnext");
      cancel();
    });

    test("a text that can no longer be sent remains readable", async () => {
      const { gateway } = dashboard;
      const { id } = await talkTo("Closed Meanwhile");
      const page = await dashboard.visit(`/conversations/${id}`);
      await page.getByLabel("Message", { exact: true }).fill("half an answer");
      await conversationClient(gateway).close(id);
      await seenInTime(page.getByText("This conversation is closed."));
      const kept = page.getByLabel("Your unsent text");
      await eventually(() => kept.inputValue()).toBe("half an answer");
      await eventually(() => kept.isEditable()).toBe(false);
      await looksRight(page);
    });

    test("a text that was stored, but whose response was lost, is not stored again after a reload", async () => {
      const { id } = await talkTo("Lost Answer");
      const page = await dashboard.visit(`/conversations/${id}`);
      const field = page.getByLabel("Message", { exact: true });
      const isSend = (request: Request) => Boolean(request.postData()?.includes("sendToConversation"));
      const stored = new Promise<void>((resolve) => {
        void page.route("**/graphql", async (route) => {
          if (!isSend(route.request())) return route.continue();
          await route.fetch();
          resolve();
        });
      });
      await field.fill("only once");
      await field.press("ControlOrMeta+Enter");
      await stored;
      await page.unrouteAll();
      await page.reload();
      await eventually(() => field.inputValue()).toBe("only once");
      for (const text of ["only once", "on purpose", "on purpose"]) {
        await field.fill(text);
        const response = page.waitForResponse((each) => isSend(each.request()));
        await page.getByRole("button", { name: "Send" }).click();
        await (await response).finished();
        await eventually(() => page.getByRole("button", { name: "Send" }).getAttribute("data-loading")).toBe(
          null,
        );
      }
      await eventually(() => page.getByRole("log").getByText("on purpose").count()).toBe(2);
      await eventually(() => page.getByRole("log").getByText("only once").count()).toBe(1);
    });

    test("the address of an unknown conversation leads to the list", async () => {
      const page = await dashboard.visit("/conversations/018f0000-0000-7000-8000-000000000000");
      await seen(page.getByText("This conversation doesn’t exist"));
      await page.getByRole("link", { name: "all conversations" }).click();
      await seen(page.getByRole("heading", { level: 1, name: "Conversations" }));
    });
  },
  { DELIVERY_WORKERS: "2" },
);
