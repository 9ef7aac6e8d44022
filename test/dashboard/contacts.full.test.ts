import { readFile } from "node:fs/promises";
import { Permission } from "../../src/auth/permissions";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { addContact, contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { publish } from "../support/decisions";
import { operator } from "../support/gateway";
import { addMember, firstAgentId } from "../support/people";
import { addTimer } from "../support/timers";
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

describeDashboard("contacts", (dashboard) => {
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(dashboard.gateway);
  });

  test("an owner adds, tags, edits, finds and erases one", async () => {
    const page = await dashboard.visit("/contacts");
    await page.getByRole("button", { name: "Add your first contact" }).click();
    await dialogOf(page).getByLabel("Name").fill("Grace Hopper");
    await dialogOf(page).getByLabel("Ref").fill("customer-1");
    await dialogOf(page).getByLabel("Address", { exact: true }).fill("no address");
    await dialogOf(page).getByLabel("Attributes").fill("[1]");
    await seen(dialogOf(page).getByText("Enter a JSON object: { … }."));
    await dialogOf(page).getByLabel("Attributes").fill('{"customer":9007199254740993}');
    await seen(dialogOf(page).getByText("9007199254740993 would be rounded. Write it as text, in quotes."));
    await dialogOf(page).getByLabel("Attributes").fill('{"plan":"gold"}');
    await page.getByRole("button", { name: "Add contact" }).last().click();
    await seen(dialogOf(page).getByText(/^Address must/));
    await dialogOf(page).getByLabel("Address", { exact: true }).fill("grace@example.com");
    await page.getByRole("button", { name: "Add contact" }).last().click();
    await seen(page.getByRole("heading", { level: 1, name: "Grace Hopper" }));
    await page.getByText("plan", { exact: true }).click();
    await seen(page.getByText('"plan": "gold"'));

    await page.getByLabel("New tag").fill("Not a tag!");
    await page.keyboard.press("Enter");
    await seen(page.getByText(/must/).first());
    await page.getByLabel("New tag").fill("VIP");
    await page.keyboard.press("Enter");
    await seen(page.getByRole("list", { name: "Tags" }).getByText("vip"));

    await page.getByRole("button", { name: "Edit" }).click();
    await dialogOf(page).getByLabel("Name").fill("<b>Grace</b>");
    await dialogOf(page).getByLabel("Time zone").fill("Europe/Zurich");
    await dialogOf(page).getByLabel("Address", { exact: true }).fill("hopper@example.com");
    // Someone else changes another field and adds an address while the form is open.
    const addresses = [{ kind: AddressKind.email, address: "admiral@example.com" }];
    await addContact(dashboard.gateway, { agentId, ref: "customer-1", locale: "de", addresses });
    await dialogOf(page).getByRole("button", { name: "Save" }).click();
    await gone(dialogOf(page));
    for (const text of ["admiral@example.com", "hopper@example.com", "Europe/Zurich"])
      await seen(page.getByText(text));
    await seen(page.getByRole("heading", { level: 1, name: "<b>Grace</b>" }));

    await page.getByRole("link", { name: "Contacts" }).first().click();
    await page.getByLabel("Search contacts").fill("GRACE@example.com");
    await seen(rowOf(page, "customer-1"));
    await page.getByLabel("Search contacts").fill("");
    await page.getByLabel("Tag").fill("Not a tag!");
    await page.keyboard.press("Enter");
    await seen(page.getByText("Use letters a–z, digits"));
    await eventually(() => page.getByLabel("Tag").inputValue()).toBe("Not a tag!");
    await page.getByLabel("Tag").fill("absent");
    await page.keyboard.press("Enter");
    await seen(page.getByText("No matching contacts"));
    await page.getByRole("button", { name: "Clear the tag filter" }).click();
    await page.getByLabel("Tag").fill("VIP");
    await page.keyboard.press("Enter");
    await rowOf(page, "customer-1").getByRole("link").click();

    await page.getByLabel("New tag").fill("half a t");
    await page.getByRole("button", { name: "Remove the tag vip" }).click();
    await gone(page.getByRole("list", { name: "Tags" }));
    await eventually(() => page.getByLabel("New tag").inputValue()).toBe("half a t");
    await page.getByRole("button", { name: "Actions for" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export data" }).click(),
    ]);
    const records = JSON.parse(await readFile(await download.path(), "utf8"));
    expect(records[0]).toMatchObject({ kind: "contact", data: { ref: "customer-1" } });
    await page.getByRole("button", { name: "Actions for" }).click();
    await page.getByRole("menuitem", { name: "Erase contact" }).click();
    await seen(dialogOf(page).getByText("This can’t be undone."));
    await dialogOf(page).getByRole("button", { name: "Erase contact" }).click();
    await seen(page.getByRole("heading", { level: 1, name: "Erased contact" }));
    await eventually(() => page.getByText("grace@example.com").count()).toBe(0);
  });

  test("a conversation shows no text of a contact that was erased, in this tab or in another", async () => {
    const { gateway } = dashboard;
    const { id } = await addConversation(gateway, { agentId });
    await conversationClient(gateway).send(id, "a private text");
    const page = await dashboard.visit(`/conversations/${id}`);
    const other = await dashboard.visit(`/conversations/${id}`);
    for (const tab of [page, other]) await seen(tab.getByText("a private text"));
    await page.getByRole("link", { name: "View contact" }).click();
    await page.getByRole("button", { name: "Actions for" }).click();
    await page.getByRole("menuitem", { name: "Erase contact" }).click();
    await dialogOf(page).getByRole("button", { name: "Erase contact" }).click();
    await seen(page.getByRole("heading", { level: 1, name: "Erased contact" }));
    await page.goBack();
    for (const tab of [page, other]) {
      await seenInTime(tab.getByText("The text was erased."));
      await eventually(() => tab.getByText("a private text").count()).toBe(0);
    }
  });

  test("an existing contact is updated, which a message says", async () => {
    await addContact(dashboard.gateway, { agentId, ref: "twin", name: "Old name" });
    const page = await dashboard.visit("/contacts");
    await page.getByRole("button", { name: "Add contact" }).click();
    await dialogOf(page).getByLabel("Name").fill("New name");
    await dialogOf(page).getByLabel("Ref").fill("twin");
    await page.keyboard.press("Enter");
    await seen(page.getByText("This contact already existed and was updated."));
    await seen(page.getByRole("heading", { level: 1, name: "New name" }));
  });

  test("waiting timers are shown with their times, and canceled", async () => {
    const { gateway } = dashboard;
    const contactId = await addContact(gateway, { agentId, ref: "timed" });
    for (let i = 1; i <= 21; i++) await addTimer(gateway, agentId, contactId);
    const page = await dashboard.visit(`/contacts/${contactId}`);
    const timers = page.getByRole("list", { name: "Timers" });
    await seen(timers.getByText("in.a.day"));
    await seen(
      timers.getByText("in 24 hours").or(timers.getByText("tomorrow")).or(timers.getByText("in 1 day")),
    );
    await eventually(() => timers.getByRole("listitem").count()).toBe(20);
    await seen(page.getByText("More timers are waiting."));
    await timers.getByRole("button", { name: "Cancel the timer" }).first().click();
    await seen(page.getByText("Canceled the timer."));
    await gone(page.getByText("More timers are waiting."));
    await eventually(() => timers.getByRole("listitem").count()).toBe(20);
  });

  test("a topic is switched for all addresses, and each switch is next to its topic", async () => {
    const { gateway } = dashboard;
    const topics = { news: { title: "Newsletter", default: "in" }, tips: { title: "Tips", default: "out" } };
    await publish(gateway, agentId, { policy: { topics } });
    const addresses = ["one", "two"].map((address) => ({ kind: AddressKind.local, address }));
    const id = await addContact(gateway, { agentId, name: "Ada", addresses });
    const evidence = "Form on our website, where the box was not checked";
    const [{ id: addressId }] = (await gateway.rest("GET", `/agent/contacts/${id}`)).body.addresses;
    const body = { state: "out", addressId, evidence };
    await gateway.rest("PUT", `/agent/contacts/${id}/consents/news`, { body });
    const page = await dashboard.visit(`/contacts/${id}`, { viewport: { width: 360, height: 700 } });
    const consents = page.getByRole("list", { name: "Consents" });
    await seen(consents.getByText(evidence));
    await seen(consents.getByText("Differs by address"));
    const switches = await consents.getByRole("switch").all();
    const places = () => Promise.all(switches.map(async (each) => (await each.boundingBox())?.x));
    await eventually(async () => new Set(await places()).size).toBe(1);
    await eventually(() => Promise.all(switches.map((each) => each.isChecked()))).toEqual([
      true,
      false,
      false,
    ]);
    await consents.getByRole("switch", { name: "Newsletter" }).click({ force: true });
    // Nothing changes without a confirmation, because the contact's own opt-out would be lost.
    await dialogOf(page).getByRole("button", { name: "Cancel" }).click();
    await gone(dialogOf(page));
    await seen(consents.getByText("Differs by address"));
    await consents.getByRole("switch", { name: "Newsletter" }).click({ force: true });
    await dialogOf(page).getByRole("button", { name: "Opt in" }).click();
    await seen(page.getByText("Opted in: Newsletter."));
    const { body: after } = await gateway.rest("GET", `/agent/contacts/${id}/consents`);
    expect(after.consents).toMatchObject([
      { topic: "news", state: "in", source: "member" },
      { topic: "news", state: "in", source: "member" },
    ]);
  });

  test("members who may write but not manage can do everything but erase, and readers can change nothing", async () => {
    const { gateway } = dashboard;
    const addresses = [{ kind: AddressKind.local, address: "shared" }];
    const id = await addContact(gateway, { agentId, ref: "shared", name: "Shared", addresses });
    const write = [Permission.conversations_read, Permission.conversations_write];
    const writer = await dashboard.visit(`/contacts/${id}`, {
      as: await addMember(gateway, { permissions: write }),
    });
    await seen(writer.getByRole("button", { name: "Edit" }));
    await eventually(() => writer.getByRole("button", { name: "Actions for" }).count()).toBe(0);
    const reader = await dashboard.visit(`/contacts/${id}`, {
      as: await addMember(gateway, { permissions: [Permission.conversations_read] }),
    });
    await seen(reader.getByText("No tags."));
    await seen(reader.getByText(/^You cannot change consents\. Ask .*@.* for the permission/));
    for (const name of ["Edit", "Message", "Add"])
      await eventually(() => reader.getByRole("button", { name, exact: true }).count()).toBe(0);
  });

  test("a contact that is being added survives the end of the session and a click outside its form", async () => {
    const member = await addMember(dashboard.gateway, {
      manage: true,
      permissions: [Permission.config_manage, Permission.conversations_read, Permission.conversations_write],
    });
    const page = await dashboard.visit("/contacts", { as: member });
    const open = () => page.getByRole("main").getByRole("button", { name: /^Add/ }).first().click();
    await open();
    await dialogOf(page).getByLabel("Name").fill("Half a person");
    await dialogOf(page).getByLabel("Attributes").fill('{"plan"');
    await page.mouse.click(5, 5);
    await eventually(() => dialogOf(page).getByLabel("Name").inputValue()).toBe("Half a person");
    await page.context().clearCookies();
    await seenInTime(page.getByLabel("Password", { exact: true }));
    await page.getByLabel("Password", { exact: true }).fill(member.password);
    await page.keyboard.press("Enter");
    await seen(page.getByRole("heading", { level: 1, name: "Contacts" }));
    await open();
    await eventually(() => dialogOf(page).getByLabel("Name").inputValue()).toBe("Half a person");
    await eventually(() => dialogOf(page).getByLabel("Attributes").inputValue()).toBe('{"plan"');
  });

  test("a long text in a form is discarded only after a confirmation, even by leaving the page", async () => {
    const page = await dashboard.visit("/contacts");
    await page.getByRole("main").getByRole("button", { name: /^Add/ }).first().click();
    const attributes = dialogOf(page).getByLabel("Attributes");
    const text = '{"plan": "gold", "since": "2026-01-01", "seats": 7}';
    await attributes.fill(text);
    const question = dialogOf(page).getByRole("alert").getByText("Discard your changes?");
    await page.keyboard.press("Escape");
    await seen(question);
    await pressEnter(dialogOf(page).getByRole("button", { name: "Keep editing" }));
    await gone(question);
    const leaving = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const leave = await leaving;
    expect(leave.type()).toBe("beforeunload");
    await leave.dismiss();
    await eventually(() => attributes.inputValue()).toBe(text);
    await pressEnter(dialogOf(page).getByRole("button", { name: "Cancel" }));
    await seen(question);
    await pressEnter(dialogOf(page).getByRole("button", { name: "Discard" }));
    await gone(dialogOf(page));

    // A short text, or one that is as it was stored, is not asked about.
    const id = await addContact(dashboard.gateway, { agentId, attributes: JSON.parse(text) });
    await page.goto(`${dashboard.gateway.url}/dashboard/contacts/${id}`);
    for (const change of ["{}", undefined]) {
      await page.getByRole("button", { name: "Edit" }).click();
      const stored = await attributes.inputValue();
      await attributes.fill(`${stored} `);
      await attributes.fill(change ?? stored);
      await page.keyboard.press("Escape");
      await gone(dialogOf(page));
    }
  });

  test("a change kept when the session ends returns only to its contact, without the untouched fields", async () => {
    const { gateway } = dashboard;
    const permissions = [Permission.conversations_read, Permission.conversations_write];
    const member = await addMember(gateway, { permissions });
    const id = await addContact(gateway, { agentId, ref: "kept", name: "Anna", locale: "en" });
    await addContact(gateway, { agentId, ref: "another", name: "Berta" });
    const page = await dashboard.visit(`/contacts/${id}`, { as: member });
    const edit = () => page.getByRole("button", { name: "Edit" }).click();
    const field = (label: string) => dialogOf(page).getByLabel(label);
    const go = async (ref: string) => {
      await page.getByRole("link", { name: "Contacts" }).first().click();
      await rowOf(page, ref).getByRole("link").click();
    };
    await edit();
    await field("Name").fill("Half an edit");
    await page.context().clearCookies();
    await seenInTime(page.getByLabel("Password", { exact: true }));
    await page.getByLabel("Password", { exact: true }).fill(member.password);
    await page.keyboard.press("Enter");
    await go("another");
    await seen(page.getByRole("heading", { level: 1, name: "Berta" }));
    await edit();
    await eventually(() => field("Name").inputValue()).toBe("Berta");
    await dialogOf(page).getByRole("button", { name: "Cancel" }).click();
    await gone(dialogOf(page));
    await addContact(gateway, { agentId, ref: "kept", locale: "de" });
    await go("kept");
    await seen(page.getByText("de", { exact: true }));
    await edit();
    await eventually(() => field("Name").inputValue()).toBe("Half an edit");
    await eventually(() => field("Language").inputValue()).toBe("de");
  });

  test("saving again after an overlap replaces only the fields that the message names", async () => {
    const { gateway } = dashboard;
    const id = await addContact(gateway, { agentId, ref: "overlap", name: "First", locale: "en" });
    const page = await dashboard.visit(`/contacts/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    await dialogOf(page).getByLabel("Name").fill("Mine");
    await addContact(gateway, { agentId, ref: "overlap", name: "Theirs", locale: "de" });
    await dialogOf(page).getByRole("button", { name: "Save" }).click();
    await seen(dialogOf(page).getByText("Someone else has changed the name (now “Theirs”)."));
    await dialogOf(page).getByRole("button", { name: "Save" }).click();
    await gone(dialogOf(page));
    const { body } = await contactClient(gateway).find({ id });
    expect(body.data.contact).toMatchObject({ name: "Mine", locale: "de" });

    // A change that was saved by an attempt whose response was lost is not an overlap.
    await page.getByRole("button", { name: "Edit" }).click();
    await dialogOf(page).getByLabel("Name").fill("Mine again");
    await page.route("**/graphql", async (route) => {
      if (!route.request().postData()?.includes("putContact(")) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await dialogOf(page).getByRole("button", { name: "Save" }).click();
    await seen(dialogOf(page).getByText("Can’t reach the server."));
    await page.unrouteAll({ behavior: "wait" });
    await dialogOf(page).getByRole("button", { name: "Save" }).click();
    await gone(dialogOf(page));
    await seen(page.getByText("Saved the contact."));
  });

  test("a page that is loading shows nothing of the contact whose page was open before", async () => {
    const { gateway } = dashboard;
    const addresses = [{ kind: AddressKind.local, address: "earlier" }];
    const earlier = await addContact(gateway, { agentId, name: "Earlier", addresses });
    const later = await addContact(gateway, { agentId, name: "Later" });
    const page = await dashboard.visit(`/contacts/${earlier}`);
    const shown = page
      .getByRole("heading", { name: "Earlier" })
      .or(page.getByRole("switch"))
      .or(page.getByRole("button", { name: "Edit" }))
      .or(dialogOf(page));
    await seen(page.getByRole("switch", { name: "All messages" }));
    await page.getByRole("button", { name: "Edit" }).click();
    await seen(dialogOf(page));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/graphql", async (route) => {
      if (route.request().postData()?.includes(later)) await released;
      await route.continue();
    });
    await follow(page, `/contacts/${later}`);
    await eventually(() => shown.count()).toBe(0);
    release();
    await seen(page.getByRole("heading", { level: 1, name: "Later" }));
    await eventually(() => dialogOf(page).count()).toBe(0);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("an agent without contacts is named, and leads to the agents with contacts", async () => {
    const { gateway } = dashboard;
    await addContact(gateway, { agentId, name: "Only here" });
    await gateway.services.agents.create(await operator(gateway), { slug: "aaa", name: "Aaa" });
    const page = await dashboard.visit("/contacts");
    await seen(page.getByText("Aaa has no contacts yet"));
    await pressEnter(page.getByRole("list", { name: "Contacts of other agents" }).getByRole("link"));
    await seen(rowOf(page, "Only here"));
    await pressEnter(page.getByRole("link", { name: "Conversations" }).first());
    // Until this heading is shown, the page still shows the contacts' filter.
    await seen(page.getByRole("heading", { level: 1, name: "Conversations" }));
    await page.getByLabel("Agent", { exact: true }).selectOption("Aaa");
    // Once the count is loaded, the tab's name ends with it.
    await pressEnter(page.getByRole("link", { name: /^Open( \d+)?$/ }));
    await seen(page.getByText("Aaa has no conversations yet"));
    await pressEnter(page.getByRole("button", { name: "Show all agents" }));
    await gone(page.getByText("Aaa has no conversations yet"));
  });
});
