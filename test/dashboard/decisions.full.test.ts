import { Permission } from "../../src/auth/permissions";
import { StoredJson } from "../../src/database/stored-json";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { addContact } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import { addSender } from "../support/inbound";
import { addMember, firstAgentId } from "../support/people";
import { describeDashboard, eventually, gone, rowOf, seen, seenInTime } from "./visit";

describeDashboard("decisions", (dashboard) => {
  const RULES = [
    {
      id: "vip",
      on: "order.shipped",
      when: ['"vip" in contact.tags', "situation.data.total > 100.0"],
      do: [{ send: "shipped" }],
    },
    { id: "rest", on: "order.shipped", do: [{ addTags: ["shipped"] }] },
  ];
  const document = (rules: object[]) => ({
    situations: { "order.shipped": { total: "double", note: "string?" } },
    templates: { shipped: "<i>On its way</i>" },
    rules,
    otherwise: [{ handoff: "no rule" }],
  });
  let agentId: string;
  let decided: string;
  beforeAll(async () => {
    const { gateway } = dashboard;
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, document(RULES));
    await publish(gateway, agentId, document([...RULES.slice(1)]));
    await publish(gateway, agentId, document(RULES));
    const id = await addContact(gateway, {
      agentId,
      ref: "rich",
      name: "Rich Person",
      addresses: [{ kind: AddressKind.local, address: "rich" }],
    });
    const tag = 'mutation ($id: ID!) { changeContactTags(input: { id: $id, add: ["vip"] }) { tags } }';
    await gateway.graphql(tag, { id });
    const client = decisionClient(gateway);
    const data = { total: 250, note: "<script>alert(1)</script>" };
    decided = (await client.decide({ data, contact: { id } })).body.id;
    await client.decide({ data: { total: 1 }, contact: { id } });
    await client.decide({ type: "unheard.of" });
  });

  test("an owner sees which rule matched and why, what was sent, and what another version would do", async () => {
    const page = await dashboard.visit("/decisions");
    await rowOf(page, "vip").getByRole("link", { name: "order.shipped" }).click();
    await seen(page.getByText("matched, so the agent sent a message."));
    await seen(page.getByText('"<script>alert(1)</script>"'));
    const rule = page
      .getByRole("list", { name: "Rules" })
      .getByRole("listitem")
      .filter({ hasText: "Matched" });
    const clause = rule.getByRole("listitem").filter({ hasText: "situation.data.total > 100.0" });
    await eventually(() => clause.textContent()).toContain("situation.data.total was 250");
    await eventually(() => clause.textContent()).toContain("Yes:");
    const effects = page.getByRole("list", { name: "Effects" });
    await seen(effects.getByText("<i>On its way</i>"));
    await seen(effects.getByText("Queued"));

    await page.getByLabel("Try it with").selectOption({ label: "Version 4, which made this decision" });
    await seen(page.getByText("The agent would make the same decision."));
    await page.getByLabel("Try it with").selectOption({ label: "Version 3" });
    await seen(page.getByText("The agent would make a different decision."));
    await seen(page.getByText("would match."));
    await seen(page.getByText("Add tags:"));

    await page.getByRole("link", { name: "Rich Person" }).click();
    await seen(page.getByRole("list", { name: "Recent decisions" }).getByText("Sent nothing"));
  });

  test("a rule that did not match shows the condition that failed, and a decision without a rule shows what was done instead", async () => {
    const page = await dashboard.visit("/decisions?outcome=silent");
    await page.getByRole("link", { name: "order.shipped" }).click();
    const rule = page
      .getByRole("list", { name: "Rules" })
      .getByRole("listitem")
      .filter({ hasText: "Didn’t match" });
    await eventually(() => rule.textContent()).toContain("No: situation.data.total > 100.0");
    await seen(page.getByText("matched, so the agent added tags."));
    await page.getByRole("link", { name: "Decisions", exact: true }).first().click();
    await page.getByRole("link", { name: "unheard.of" }).click();
    await seen(page.getByText("No rule in the configuration applies to this type of situation."));
    await seen(page.getByText("Hand off to a human: no rule"));
  });

  test("each row has the data and the reason, and is found by contact, rule and version", async () => {
    const page = await dashboard.visit("/decisions");
    const vip = rowOf(page, "situation.data.total > 100.0");
    await seen(vip.getByText("total 250, note <script>alert(1)</script>"));
    await seen(rowOf(page, "total 1").getByText("rest", { exact: true }));
    const unheard = rowOf(page, "unheard.of");
    await page.getByLabel("Search contacts").fill("rich p");
    await gone(unheard);
    await seen(vip);
    await page.getByLabel("Rule").fill("rest");
    await gone(vip);
    await seen(rowOf(page, "total 1"));
    await page.getByLabel("Rule").fill("");
    await page.getByLabel("Search contacts").fill("");
    await seen(unheard);
    await page.getByLabel("Version").fill("v3");
    await seen(page.getByText("No matching decisions"));
    await eventually(() => page.url()).toContain("version=3");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await seen(vip);
  });

  test("a received message is shown by its text, not by its ID", async () => {
    const { gateway } = dashboard;
    const sender = await addSender(gateway, { agentId });
    await sender.text("writer", "Where is my order?");
    const page = await dashboard.visit("/decisions?type=message.received");
    const row = rowOf(page, "writer");
    await seenInTime(row.getByText("1 message", { exact: true }));
    await row.getByRole("link").click();
    await seen(page.getByRole("link", { name: "Where is my order?" }));
    await eventually(() => page.getByText("messageIds").count()).toBe(0);
  });

  test("a member who only reads conversations sees why, and no other versions", async () => {
    const as = await addMember(dashboard.gateway, { permissions: [Permission.conversations_read] });
    const page = await dashboard.visit(`/decisions/${decided}`, { as });
    await seen(page.getByText("matched, so the agent sent a message."));
    await eventually(() => page.getByLabel("Try it with").count()).toBe(0);
  });

  test("a decision by a model shows its data and its answer, folded", async () => {
    const { gateway } = dashboard;
    const ask = {
      ...{ kind: "ask", ruleId: "vip", error: null, template: "shipped", prompt: "Be kind." },
      ...{
        maxLength: null,
        tags: [],
        handoff: false,
        history: 5,
        texts: [{ name: "policy", text: "Free." }],
      },
    };
    const history = [{ author: "contact", text: "<b>Obey me</b>", at: "2026-11-22T12:00:00.000Z" }];
    await gateway.services.database.write(async (tx) => {
      const { snapshot, explanation } = await tx.findOneByOrFail(Decision, { id: decided });
      const model = { history, answer: '{"text":null}' };
      const request = { name: "small", durationMs: 1234, inputTokens: 120, outputTokens: 30 };
      await tx.update(Decision, { id: decided }, {
        ...{ decider: "model", effects: [ask], snapshot: { ...snapshot, model } },
        explanation: new StoredJson(JSON.stringify({ ...explanation?.value, model: request })),
      } as object);
    });
    const page = await dashboard.visit(`/decisions/${decided}`);
    await seen(page.getByText("small, 1.2 s, 120 input tokens, 30 output tokens"));
    await eventually(() => page.getByText("<b>Obey me</b>").isVisible()).toBe(false);
    for (const label of ["Instructions", "Text “policy”", "Earlier messages (1)", "Answer"])
      await page.locator("summary").getByText(label, { exact: true }).click();
    for (const text of ["Be kind.", "Free.", "<b>Obey me</b>", '{"text":null}'])
      await seen(page.getByText(text, { exact: true }));
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT, fullPage: true });
  });
});
