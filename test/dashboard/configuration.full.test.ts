import type { Page } from "playwright-core";
import { Permission } from "../../src/auth/permissions";
import { decisionClient, publish } from "../support/decisions";
import { operator } from "../support/gateway";
import { addAgent, addMember, addOrganization, firstAgentId } from "../support/people";
import { violations } from "./axe";
import { focusComesTo } from "./focus";
import { beforeNews, describeDashboard, dialogOf, eventually, gone, rowOf, seen, seenInTime } from "./visit";

describeDashboard("Configuration", (dashboard) => {
  const editorOf = (page: Page) => page.getByRole("textbox", { name: "Configuration as JSON" });
  const problemsOf = (page: Page) => page.getByRole("list", { name: "Problems" });
  const stateOf = (page: Page) => page.getByRole("region", { name: "Draft" });

  /** Adds an organization with one agent, and opens the configuration of that agent. */
  const newAgent = async (slug: string) => {
    const { agentId, manager } = await addOrganization(dashboard.gateway, slug);
    const open = async (path = "/configuration") => dashboard.visit(path, { as: manager });
    return { agentId, manager, open };
  };

  /** Focuses the editor, so that all typing goes there. */
  const focusEditor = async (page: Page) => {
    await seen(editorOf(page));
    await editorOf(page).focus();
  };

  /** Replaces the whole document. */
  const write = async (page: Page, document: object | string) => {
    await focusEditor(page);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(typeof document === "string" ? document : JSON.stringify(document));
  };

  const DOCUMENT = {
    format: 1,
    situations: { "order.shipped": { orderId: "string", tracking: "string?" } },
    templates: { left: "Order {{ situation.data.orderId }} has left." },
    rules: [
      {
        id: "second",
        on: "order.shipped",
        when: ['situation.data.orderId == "A2"'],
        do: [{ send: "left" }],
      },
    ],
    otherwise: [{ handoff: "no rule" }],
  };

  test("is a text on a touch screen, and an editor after it is tapped", async () => {
    const { agentId, manager } = await newAgent("touched");
    await publish(dashboard.gateway, agentId, DOCUMENT);
    const page = await dashboard.visit("/configuration", {
      as: manager,
      hasTouch: true,
      isMobile: true,
      viewport: { width: 360, height: 740 },
    });
    const text = page.getByRole("region", { name: "Configuration as JSON" });
    await seen(text.getByText("has left."));
    await eventually(() => violations(page)).toEqual([]);
    await eventually(() => page.getByRole("textbox", { name: /as JSON/ }).count()).toBe(0);
    await seen(text.getByRole("button", { name: "Edit" }));
    await text.getByText("has left.").tap();
    await seen(page.locator(":focus").and(editorOf(page)));
    await page.keyboard.insertText("§");
    await eventually(() => editorOf(page).textContent()).toMatch(/format.*§.*otherwise/s);
    await eventually(() => editorOf(page).textContent()).toContain("has left.");
    await write(page, { ...DOCUMENT, rules: [] });
    await stateOf(page).getByRole("button", { name: "Save draft" }).tap();
    await seen(page.getByText("Draft saved."));
  });

  test("of a deactivated organization can be read, and typing changes nothing", async () => {
    const { agentId, open } = await newAgent("reading");
    await publish(dashboard.gateway, agentId, DOCUMENT);
    await dashboard.gateway.services.organizations.deactivate(await operator(dashboard.gateway, "reading"));
    const page = await open();
    await focusEditor(page);
    const before = await editorOf(page).textContent();
    expect(before).toContain("has left.");
    await page.keyboard.press("ControlOrMeta+a");
    // Chromium would wrap text that replaces the selection in an inline style, and the console would report that.
    await page.keyboard.type("typed");
    await page.keyboard.press("Delete");
    await page.keyboard.press("ControlOrMeta+b");
    await eventually(() => editorOf(page).textContent()).toBe(before);
  });

  test("is completed by its schema, and shows each problem at its place", async () => {
    const { open } = await newAgent("completing");
    const page = await open();
    await write(page, '{"format": 1, "rules": [{"id": "hello", "on": "*", "when": ["tru"]}], }');
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.type("templ");
    await seen(page.getByRole("option", { name: /^templates/ }));
    await seen(page.getByText("The texts that the agent sends, as Liquid templates."));
    // Enter applies to the text until the list has been open for a moment.
    await page.getByRole("option", { name: /^templates/ }).click();
    await page.keyboard.type('"hi": "Hello"');
    await seen(problemsOf(page).getByText("rules[0].when[0]"));
    await seen(problemsOf(page).getByText("Is not used."));
    const share = (list: Element) => list.clientWidth / (list.closest("section")?.clientWidth ?? 0);
    await eventually(() => problemsOf(page).evaluate(share)).toBeGreaterThan(0.9);
    await eventually(async () => JSON.parse(await editorOf(page).innerText())).toEqual({
      format: 1,
      rules: [{ id: "hello", on: "*", when: ["tru"] }],
      templates: { hi: "Hello" },
    });
    // The problem is marked in the text, and the list leads to it.
    await eventually(() => page.locator(".cm-lintRange-error").innerText()).toBe("tru");
    await page.getByRole("button", { name: /^rules\[0\]\.when\[0\]/ }).click();
    await page.keyboard.type("1 < ");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Delete");
    await page.keyboard.type("2");
    await gone(problemsOf(page).getByText("rules[0].when[0]"));
    await page.getByText("templates.hi").click();
    await page.keyboard.press("End");
    await page.keyboard.type(",,");
    await seen(problemsOf(page).getByText(/^Not valid JSON/));
    await eventually(() => page.getByRole("button", { name: "Save draft" }).isDisabled()).toBe(true);
  });

  test("renames a template with its uses, and undo takes it back", async () => {
    const { open } = await newAgent("renaming");
    const page = await open();
    await write(page, DOCUMENT);
    await page.getByRole("button", { name: "Actions for the draft" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    const dialog = await dialogOf(page);
    await seen(dialog.getByText("1 use changes as well."));
    await dialog.getByLabel("Rename a").selectOption("Situation");
    await seen(dialog.getByText("programs must submit this situation under its new name"));
    await dialog.getByLabel("Rename a").selectOption("Template");
    await dialog.getByLabel("New name").fill("left");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await seen(dialog.getByText("The name “left” is taken."));
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel("New name").fill("departed");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await seen(page.getByText("Renamed left to departed."));
    const text = JSON.stringify(DOCUMENT);
    await eventually(() => editorOf(page).textContent()).toBe(text.replaceAll('"left"', '"departed"'));
    await seen(stateOf(page).getByText("No problems"));
    await focusEditor(page);
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(() => editorOf(page).textContent()).toBe(text);
  });

  test("can be left by keyboard: Tab indents, and after Escape it moves on", async () => {
    const page = await dashboard.visit("/configuration");
    await focusEditor(page);
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.press("Tab");
    await eventually(() => editorOf(page).innerText()).toMatch(/^ {2}\{/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await eventually(() => editorOf(page).evaluate((editor) => editor.matches(":focus"))).toBe(false);
    const { ids } = await editorOf(page).evaluate((editor) => ({
      ids: (editor.getRootNode() as ShadowRoot).getElementById(editor.getAttribute("aria-describedby") ?? "")
        ?.textContent,
    }));
    expect(ids).toBe("Press Escape, then Tab, to leave the editor.");
  });

  test("keeps what is typed through a reload and the end of the session, until it is saved", async () => {
    const { agentId, manager, open } = await newAgent("keeping");
    const page = await open();
    await write(page, '{ "format": 1, "burstSeconds": 7, typed');
    await seen(page.getByText("Unsaved changes"));
    let warnings = 0;
    page.on("dialog", (dialog) => {
      warnings += 1;
      return dialog.accept();
    });
    await page.reload();
    await seen(editorOf(page).getByText("typed"));
    expect(warnings).toBe(1);

    await page.context().clearCookies();
    await seenInTime(page.getByLabel("Password", { exact: true }));
    await page.getByLabel("Password", { exact: true }).fill(manager.password);
    await page.keyboard.press("Enter");
    await seen(editorOf(page).getByText("typed"));
    await focusEditor(page);
    await page.keyboard.press("ControlOrMeta+End");
    for (const _ of ", typed") await page.keyboard.press("Backspace");
    await page.keyboard.type(" }");
    // As with Caps Lock.
    await page.keyboard.press("ControlOrMeta+S");
    await seen(page.getByText("Draft saved."));
    await gone(page.getByText("Unsaved changes"));
    const context = await operator(dashboard.gateway, "keeping");
    expect(await dashboard.gateway.services.configurations.draft(context, agentId)).toMatchObject({
      document: { format: 1, burstSeconds: 7 },
      revision: 1,
      updatedBy: manager.email,
    });
    await page.reload();
    await seen(editorOf(page).getByText("burstSeconds"));
    expect(warnings).toBe(1);
  });

  test("of a deleted agent is neither shown as another agent’s nor kept as unsaved text", async () => {
    const { gateway } = dashboard;
    const { open } = await newAgent("deleting");
    const context = await operator(gateway, "deleting");
    const { id } = await gateway.services.agents.create(context, { slug: "deleted", name: "Deleted" });
    const page = await open(`/configuration?agent=${id}`);
    await write(page, '{ "format": 1, typed');
    await seen(page.getByText("Unsaved changes"));
    await gateway.services.agents.delete(context, id);
    await seenInTime(page.getByText("This agent doesn’t exist"));
    await eventually(() => editorOf(page).count()).toBe(0);
    let warnings = 0;
    page.on("dialog", (dialog) => {
      warnings += 1;
      return dialog.accept();
    });
    await page.reload();
    await seen(page.getByText("This agent doesn’t exist"));
    expect(warnings).toBe(0);
  });

  test("with two editors, the second sees whose draft is newer, and takes or overwrites it", async () => {
    const { agentId, manager, open } = await newAgent("conflict");
    const { configurations } = dashboard.gateway.services;
    const context = await operator(dashboard.gateway, "conflict");
    const rename = 'mutation { changeName(input: { name: "Ann Editor" }) { id } }';
    await dashboard.gateway.graphql(rename, {}, { token: manager.token });
    const page = await open();
    await write(page, { format: 1, burstSeconds: 1 });
    await beforeNews(
      page,
      () => configurations.saveDraft(context, agentId, { format: 1, burstSeconds: 2 }, 0),
      () => page.getByRole("button", { name: "Save draft" }).click(),
    );
    const notice = page.getByRole("alert").filter({ hasText: "CLI saved the draft" });
    await seen(notice);
    await eventually(() => editorOf(page).innerText()).toContain('"burstSeconds":1');
    await notice.getByRole("button", { name: "Compare…" }).click();
    const difference = dialogOf(page).getByRole("region", { name: "Difference from theirs to yours" });
    await eventually(() => difference.locator("del").allInnerTexts()).toEqual(['  "burstSeconds": 2']);
    await eventually(() => difference.locator("ins").allInnerTexts()).toEqual(['  "burstSeconds": 1']);
    await dialogOf(page).getByRole("button", { name: "Keep mine" }).click();
    await gone(notice);
    await page.getByRole("button", { name: "Save draft" }).click();
    await seen(page.getByText("Draft saved."));
    await seen(page.getByText("by Ann Editor"));
    expect(await configurations.draft(context, agentId)).toMatchObject({
      document: { burstSeconds: 1 },
      revision: 2,
    });

    await write(page, { format: 1, burstSeconds: 3 });
    await configurations.saveDraft(context, agentId, { format: 1, burstSeconds: 4 }, 2);
    await seenInTime(notice);
    await notice.getByRole("button", { name: "Use theirs" }).click();
    await seen(editorOf(page).getByText("4"));
    await gone(page.getByText("Unsaved changes"));
    // Even discarded changes can be restored by undo.
    await focusEditor(page);
    await page.keyboard.press("ControlOrMeta+z");
    await seen(editorOf(page).getByText('"burstSeconds":3'));
    // A new draft is noticed even at the revision of the published one.
    await configurations.publish(context, { agentId, expectedLiveVersion: 1 });
    for (const revision of [0, 1, 2])
      await configurations.saveDraft(context, agentId, { format: 1, burstSeconds: 5 }, revision);
    await seenInTime(notice);
    await notice.getByRole("button", { name: "Use theirs" }).click();
    await seen(editorOf(page).getByText("5"));
  });

  test("is published after its difference and replay are read, and restored from the history", async () => {
    const { gateway } = dashboard;
    const agentId = await firstAgentId(gateway);
    const { body: changed } = await decisionClient(gateway).decide({ data: { orderId: "A1" } });
    await decisionClient(gateway).decide({ data: { orderId: "A2" } });
    const page = await dashboard.visit("/configuration");
    await write(page, DOCUMENT);
    await page.getByRole("button", { name: "Publish…" }).click();
    await seen(page.getByRole("heading", { name: "Publish the draft" }));
    const difference = page.getByRole("region", { name: "Difference from version 1" });
    await seen(difference.locator("del").getByText('"order-shipped"'));
    await seen(difference.locator("ins").getByText('"second"'));
    const byRule = page.getByRole("table", { name: "Decisions by rule" });
    const counts = async (rule: string) =>
      byRule.getByRole("row").filter({ hasText: rule }).getByRole("cell").allInnerTexts();
    await seen(byRule);
    await eventually(async () => [
      await counts("order-shipped"),
      await counts("second"),
      await counts("otherwise"),
    ]).toEqual([
      ["order-shipped", "2", "0", "−2"],
      ["second", "0", "1", "+1"],
      ["otherwise", "0", "1", "+1"],
    ]);
    // A change in another tab reloads the other data of the page.
    const queries: string[] = [];
    page.on("request", (request) => queries.push(request.postData() ?? ""));
    await Promise.all([
      page.waitForResponse((response) => /query Viewer\b/.test(response.request().postData() ?? "")),
      page.evaluate(() => new BroadcastChannel("gateway-dashboard").postMessage("changed")),
    ]);
    expect(queries.filter((query) => /replayDecisions|runConfigurationTests/.test(query))).toEqual([]);
    const toHuman = page
      .getByRole("table", { name: "Decisions that would change" })
      .getByRole("row")
      .filter({ hasText: "otherwise" });
    await eventually(() => toHuman.getByRole("link").getAttribute("href")).toBe(
      `/dashboard/decisions/${changed.id}`,
    );
    await toHuman.getByRole("button", { name: "Compare…" }).click();
    await seen(dialogOf(page).getByText("Hi there, your order A1 is on its way."));
    await seen(dialogOf(page).getByText("Hand off to a human: no rule"));
    await dialogOf(page).getByRole("button", { name: "Close" }).last().click();

    // Another member publishes in the meantime.
    const context = await operator(gateway);
    const meanwhile = { agentId, expectedLiveVersion: 1, fromVersion: 1 };
    await page.getByLabel("Note (optional)").fill("Hands off what it does not know");
    await beforeNews(
      page,
      () => gateway.services.configurations.publish(context, meanwhile),
      () => page.getByRole("button", { name: "Publish version 2" }).click(),
    );
    await seen(page.getByRole("alert").getByText("This has changed since you opened it."));
    await page.getByRole("button", { name: "Show the changes" }).click();
    await seen(page.getByRole("note").getByText("started when version 1 was live. Version 2 is live now"));
    await eventually(() => page.getByLabel("Note (optional)").inputValue()).toBe(
      "Hands off what it does not know",
    );
    await page.getByRole("button", { name: "Publish version 3" }).click();
    await seen(page.getByText("Published version 3."));
    await seen(rowOf(page, "Hands off what it does not know").getByText("Live"));
    expect(await gateway.services.configurations.find(context, agentId)).toMatchObject({
      version: 3,
      document: DOCUMENT,
    });
    expect(await gateway.services.configurations.draft(context, agentId)).toBeNull();

    await seen(rowOf(page, "Version 2").getByText("Restored version 1"));
    await page.getByRole("link", { name: "Version 3" }).click();
    await seen(page.getByRole("heading", { name: "Version 3" }));
    const since = page.getByRole("region", { name: "Changes from version 2 to 3" });
    await seen(since.locator("ins").getByText('"no rule"'));
    await page.getByRole("link", { name: "Configuration" }).last().click();
    await page.getByRole("button", { name: "Actions for version 1" }).click();
    await page.getByRole("menuitem", { name: "Restore…" }).click();
    await dialogOf(page).getByLabel("Note (optional)").fill("too many handoffs");
    await dialogOf(page).getByRole("button", { name: "Restore" }).click();
    await seen(page.getByText("Restored version 1 as version 4."));
    await seen(rowOf(page, "Version 4").getByText("Restored version 1: too many handoffs"));
    await seen(editorOf(page).getByText('"order-shipped"'));
  });

  test("is reviewed and restored as it was opened: a colleague's changes are shown only on request", async () => {
    const { agentId, manager, open } = await newAgent("reviewing");
    const { configurations } = dashboard.gateway.services;
    const context = await operator(dashboard.gateway, "reviewing");
    const documentOf = (burstSeconds: number) => ({ format: 1, burstSeconds });
    await configurations.saveDraft(context, agentId, documentOf(1), 0);
    const page = await open("/configuration/publish");
    const inserted = (seconds: number) => page.locator("ins").getByText(`"burstSeconds": ${seconds}`);
    const mayPublish = () => page.getByRole("button", { name: "Publish version 2" }).isEnabled();
    await seen(inserted(1));
    await eventually(mayPublish).toBe(true);

    await configurations.saveDraft(context, agentId, documentOf(2), 1);
    const notice = page.getByRole("alert").filter({ hasText: "after you opened this page" });
    await seenInTime(notice.getByText("CLI saved the draft"));
    await eventually(() => violations(page)).toEqual([]);
    await eventually(() => inserted(1).count()).toBe(1);
    await eventually(mayPublish).toBe(false);
    await notice.getByRole("button", { name: "Show the changes" }).click();
    await seen(inserted(2));
    await gone(notice);
    await focusComesTo(page, "Publish the draft");
    await eventually(mayPublish).toBe(true);

    // The member's own changes, such as a test that was kept, need no request.
    const save = `mutation ($input: SaveConfigurationDraftInput!) {
      saveConfigurationDraft(input: $input) { draft { revision } }
    }`;
    const input = { agentId, document: documentOf(3), expectedRevision: 2 };
    await dashboard.gateway.graphql(save, { input }, { token: manager.token });
    await seenInTime(inserted(3));
    await eventually(() => notice.count()).toBe(0);

    // The changes of several members are not put down to the last of them.
    await configurations.saveDraft(context, agentId, documentOf(4), 3);
    const last = { agentId, document: documentOf(5), expectedRevision: 4 };
    await dashboard.gateway.graphql(save, { input: last }, { token: manager.token });
    await seenInTime(notice.getByText("The draft was saved several times"));
    await seen(notice.getByText("You saved it last"));

    const restore = { agentId, fromVersion: 1 };
    await configurations.publish(context, { ...restore, expectedLiveVersion: 1 });
    await seenInTime(notice.getByText("CLI published version 2"));
    await eventually(mayPublish).toBe(false);

    await page.goto(`${dashboard.gateway.url}/dashboard/configuration?agent=${agentId}`);
    await page.getByRole("button", { name: "Actions for version 1" }).click();
    await page.getByRole("menuitem", { name: "Restore…" }).click();
    await seen(dialogOf(page).getByText("as version 3."));
    await configurations.publish(context, { ...restore, expectedLiveVersion: 2 });
    await seenInTime(page.getByText("version 3 is live"));
    await dialogOf(page).getByRole("button", { name: "Restore" }).click();
    await seen(dialogOf(page).getByText("This has changed since you opened it."));
    expect(await configurations.find(context, agentId)).toMatchObject({ version: 3 });
  });

  test("is replayed and compared as it is shown, even after a colleague has saved another draft", async () => {
    const { gateway } = dashboard;
    const { configurations } = gateway.services;
    const { open } = await newAgent("replaying");
    const { id: agentId, token } = await addAgent(gateway, "replayed", "replaying");
    await decisionClient(gateway, token).decide({ data: { orderId: "A1" } });
    const context = await operator(gateway, "replaying");
    const documentOf = (id: string) => ({
      format: 1,
      situations: { "order.shipped": { orderId: "string" } },
      rules: [{ id, on: "order.shipped", do: [{ handoff: `asked by ${id}` }] }],
    });
    await configurations.saveDraft(context, agentId, documentOf("shown"), 0);
    const page = await open(`/configuration/publish?agent=${agentId}`);
    const replayed = page.getByRole("table", { name: "Decisions by rule" });
    await seen(replayed.getByText("shown"));
    await configurations.saveDraft(context, agentId, documentOf("later"), 1);
    await Promise.all([
      page.waitForResponse((response) => /replayDecisions/.test(response.request().postData() ?? "")),
      page.getByLabel("Decisions to replay").selectOption("Last 500 decisions"),
    ]);
    await seen(replayed.getByText("shown"));
    await page.getByRole("button", { name: "Compare…" }).click();
    await seen(dialogOf(page).getByText("Hand off to a human: asked by shown"));
  });

  test("is tried without storing anything, and with a command that works", async () => {
    const { gateway } = dashboard;
    await publish(gateway, await firstAgentId(gateway), DOCUMENT);
    const page = await dashboard.visit("/configuration");
    const before = await gateway.rest("GET", "/agent/decisions");
    await page.getByLabel("About").selectOption("A local address");
    await page.getByLabel("Address").fill("o'neill");
    await page.getByRole("button", { name: "Dry run" }).click();
    const result = page.getByRole("status", { name: "Result of the dry run" });
    await seen(result.getByText("Hand off to a human: no rule"));
    await seen(result.getByText('situation.data.orderId == "A2"'));
    await seen(result.getByText('situation.data.orderId was "A1"'));
    expect((await gateway.rest("GET", "/agent/decisions")).body).toEqual(before.body);

    const command = (await page.locator("pre").last().textContent()) ?? "";
    expect(command).toContain(`curl ${gateway.url}/agent/decisions -H "Authorization: Bearer $KEY"`);
    const json = /-d '(.*)'$/.exec(command)?.[1]?.replaceAll("'\\''", "'") ?? "";
    const handed = await gateway.rest("POST", "/agent/decisions", { body: JSON.parse(json) });
    expect([handed.status, handed.body.outcome]).toEqual([201, "handoff"]);
  });

  test("keeps a dry run as a test, and asks for a reason to publish a draft that fails it", async () => {
    const { gateway } = dashboard;
    const { agentId } = await newAgent("testing");
    await publish(gateway, agentId, DOCUMENT);
    const context = await operator(gateway, "testing");
    const permissions = [Permission.config_manage, Permission.conversations_read];
    const page = await dashboard.visit("/configuration", {
      as: await addMember(gateway, { org: "testing", permissions }),
    });
    await page.getByLabel("About").selectOption("A local address");
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("button", { name: "Keep as test" }).click();
    await seen(page.getByText("Added the test to the draft."));
    const draft = await gateway.services.configurations.draft(context, agentId);
    await page.getByRole("button", { name: "Keep as test" }).click();
    await seen(page.getByText("The test is already in the draft."));
    const [kept] = (draft?.document?.tests ?? []) as object[];
    expect(kept).toMatchObject({ expect: { rule: null, outcome: "handoff" } });
    await seen(editorOf(page).getByText('"tests"'));

    await write(page, { ...DOCUMENT, otherwise: [], tests: [kept] });
    await page.getByRole("button", { name: "Publish…" }).click();
    const tests = page.getByRole("region", { name: "Tests in the draft" });
    await seen(
      tests
        .getByRole("list", { name: "Failed tests" })
        .getByText(/handoff/)
        .first(),
    );
    await tests.getByText("Not covered by any test").click();
    await seen(tests.getByText("condition 1 is never true"));
    await eventually(() => violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Publish anyway" }).click();
    const reason = page.getByLabel("Reason to publish even though a test fails");
    await seen(page.locator(":focus").and(reason));
    await reason.fill("The human is away");
    await page.getByRole("button", { name: "Publish anyway" }).click();
    await seen(page.getByText("Published version 3."));
    expect(await gateway.services.configurations.find(context, agentId)).toMatchObject({ version: 3 });
  });

  test("tries the typed document, at another time and with other tags", async () => {
    const { open } = await newAgent("typed");
    const page = await open();
    await write(page, {
      format: 1,
      situations: { broken: null, checked: {} },
      rules: [],
    });
    await eventually(() => page.getByLabel("Decide with").inputValue()).toBe("typed");
    await page.getByRole("button", { name: "Dry run" }).click();
    await seen(page.getByText("Broken must be an object."));
    await write(page, {
      format: 1,
      situations: { "order.late": { days: "int" } },
      rules: [{ id: "late", on: "order.late", do: [] }],
    });
    await page.getByRole("button", { name: "Dry run" }).click();
    await seen(page.getByText("The rule late decides (not published)."));
    const when = ['now > timestamp("2050-01-01T00:00:00Z")', '"vip" in contact.tags'];
    const { situations } = DOCUMENT;
    await write(page, {
      format: 1,
      situations,
      rules: [{ id: "future", on: "order.shipped", when, do: [{ addTags: ["seen"] }] }],
    });
    await page.getByLabel("About").selectOption("A local address");
    await page.getByLabel("As if it were").fill("2050-01-02T00:00:00Z");
    await page.getByLabel("With the tags").fill("vip, news");
    await page.getByRole("button", { name: "Dry run" }).click();
    await seen(page.getByText("The rule future decides (not published)."));
    const result = page.getByRole("status", { name: "Result of the dry run" });
    for (const [how, words, source] of [
      [{}, "Sends", "Template hello"],
      [{ delaySeconds: 60 }, "Schedules", "Template hello, delayed by 1 minute"],
      [{ review: true }, "Proposes", "Template hello"],
    ] as const) {
      const otherwise = [{ send: "hello", ...how }];
      await write(page, { format: 1, situations, templates: { hello: "Hello" }, rules: [], otherwise });
      await page.getByRole("button", { name: "Dry run" }).click();
      await seen(result.getByText(words, { exact: true }));
      await seen(result.getByText(source, { exact: true }));
    }
  });

  test("a typed situation stays when a colleague publishes", async () => {
    const { agentId, open } = await newAgent("colleague");
    await publish(dashboard.gateway, agentId, DOCUMENT);
    const page = await open();
    const situation = page.getByRole("textbox", { name: "Situation as JSON" });
    await seen(situation);
    await situation.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{"type": "order.shipped", "data": {"orderId": "A2"}}');
    await publish(dashboard.gateway, agentId, { ...DOCUMENT, otherwise: [] });
    await seenInTime(rowOf(page, "Version 3").getByText("Live"));
    await eventually(() => page.getByLabel("Decide with").locator("option").allTextContents()).toContain(
      "Live version 3",
    );
    await eventually(() => situation.textContent()).toContain('"A2"');
  });

  test("of an agent that does nothing starts with an example that works", async () => {
    const { agentId, open } = await newAgent("nothing");
    await publish(dashboard.gateway, agentId, {});
    const page = await open();
    const failed: number[] = [];
    page.on("response", (answer) => {
      if (!answer.ok()) failed.push(answer.status());
    });
    await seen(page.getByText("This agent does nothing yet."));
    await seen(stateOf(page).getByRole("heading", { name: "Draft" }));
    await seen(stateOf(page).getByText("No problems"));
    await page.getByRole("button", { name: "Publish…" }).click();
    await seen(page.getByText("The agent has made no decisions recently"));
    await page.getByRole("button", { name: "Publish version 3" }).click();
    await seen(page.getByText("Published version 3."));
    expect(failed).toEqual([]);
    await page.getByRole("button", { name: "Dry run" }).click();
    await seen(page.getByText("Hi there, your order A1 is on its way."));
  });

  test("shows hostile names and texts as text, and says what a duplicate name would lose", async () => {
    const { open } = await newAgent("hostile");
    const page = await open();
    const html = "<img src=x onerror=alert(1)>";
    await write(page, { format: 1, templates: { [html]: html }, rules: [{ id: html }] });
    await seen(problemsOf(page).getByText(`templates["${html}"]`));
    await page.getByRole("button", { name: "Save draft" }).click();
    await seen(page.getByText("Draft saved."));
    await page.goto(`${dashboard.gateway.url}/dashboard/configuration/publish`);
    await seen(page.locator("ins").getByText(html));
    await eventually(() => page.locator("img").count()).toBe(0);
    await eventually(() => page.getByRole("button", { name: "Publish version 2" }).isDisabled()).toBe(true);
    await page.goto(`${dashboard.gateway.url}/dashboard/configuration`);
    await write(page, '{"format": 1, "templates": {"a": "first", "a": "second"}}');
    await seen(problemsOf(page).getByText("“a” appears twice in the same object."));
    for (const version of ["99", "99999999999"]) {
      await page.goto(`${dashboard.gateway.url}/dashboard/configuration/${version}`);
      await seen(page.getByText("No such version"));
    }
  });

  test("is for members with the permission", async () => {
    const as = await addMember(dashboard.gateway, { permissions: [Permission.conversations_read] });
    for (const path of ["/configuration", "/configuration/publish", "/configuration/1"]) {
      const page = await dashboard.visit(path, { as });
      await seen(page.getByText("You don’t have access to this page"));
      await eventually(() => page.getByRole("link", { name: "Configuration" }).count()).toBe(0);
    }
  });
});
