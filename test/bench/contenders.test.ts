import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Event } from "../../src/features/events/event.entity";
import { Message } from "../../src/features/messages/message.entity";
import { contactClient } from "../support/contacts";
import { publish } from "../support/decisions";
import type { TestGateway } from "../support/gateway";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const TAGS = ["group-0", "vip"];

/** As in decisions/rules.mjs for two rules. */
const DOCUMENT = {
  situations: { "order.shipped": { orderId: "string", total: "double" } },
  templates: { shipped: "Hi {{ contact.name }}, order {{ situation.data.orderId }} is on its way." },
  rules: TAGS.map((tag, i) => ({
    id: `rule-${i + 1}`,
    on: "order.shipped",
    when: ["situation.data.total > 100.0", `"${tag}" in contact.tags`],
    do: [{ send: "shipped" }],
  })),
};

/** Replaces the values that differ between any two decisions about a contact. */
const comparable = (rows: unknown) =>
  JSON.stringify(rows, null, 1)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME")
    .replace(/"(sequence|position)": ?"?\d+"?/g, '"$1": N');

/** Returns the rows that a decision has added. */
const rowsOf = ({ services }: TestGateway, id: string) =>
  services.database.read(async (reader) => ({
    decision: await reader.findOneByOrFail(Decision, { id }),
    messages: await reader.findBy(Message, { decisionId: id }),
    events: (await reader.find(Event, { order: { position: "ASC" } })).filter(({ data }) =>
      [data.id, data.decisionId].includes(id),
    ),
  }));

describeGateway((gateway) => {
  // The only contender that needs no packages besides the product's.
  slowTest("the contender `functions` writes the same rows as the product", async () => {
    await publish(gateway, await firstAgentId(gateway), DOCUMENT);
    const contact = {
      ref: "contact 1",
      name: "Ada",
      tags: ["customer", "vip"],
      addresses: [{ kind: "local", address: "ada" }],
    };
    await contactClient(gateway).put(contact);
    const body = {
      situation: { type: "order.shipped", data: { orderId: "A1", total: 120 } },
      contact: { ref: contact.ref },
    };
    // The first decision opens the conversation.
    await gateway.rest("POST", "/agent/decisions", { body });
    const own = await gateway.rest("POST", "/agent/decisions", { body });
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [join(__dirname, "contenders/rules/main.mjs")], {
      env: {
        PATH,
        HOME,
        DATABASE_URL: gateway.databaseUrl,
        PORT: "0",
        RULES: `${TAGS.length}`,
        DECIDER: "functions",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [said] = await once(child.stdout, "data");
      const port = /listening (\d+)/.exec(String(said))?.[1];
      const answer = await fetch(`http://127.0.0.1:${port}/agent/decisions`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(201);
      const { id } = (await answer.json()) as { id: string };
      const [theirs, ours] = [await rowsOf(gateway, id), await rowsOf(gateway, own.body.id)];
      expect(ours.events.map(({ type }) => type)).toEqual(["message.queued", "decision.made"]);
      expect(comparable(theirs)).toEqual(comparable(ours));
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });
});
