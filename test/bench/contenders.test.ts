import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { contactClient } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const DOCUMENT = {
  situations: { "order.shipped": { orderId: "string", total: "double" } },
  templates: { shipped: "Hi {{ contact.name }}, order {{ situation.data.orderId }} is on its way." },
  rules: [{ id: "rule-1", on: "order.shipped", do: [{ send: "shipped" }] }],
};

describeGateway((gateway) => {
  // The only contender that needs no packages besides the product's.
  slowTest("the contender `functions` decides on the product's tables as the product does", async () => {
    await publish(gateway, await firstAgentId(gateway), DOCUMENT);
    const contact = {
      ref: "contact 1",
      name: "Ada",
      tags: ["vip"],
      addresses: [{ kind: "local", address: "ada" }],
    };
    await contactClient(gateway).put(contact);
    const body = {
      situation: { type: "order.shipped", data: { orderId: "A1", total: 120 } },
      contact: { ref: contact.ref },
    };
    const own = await gateway.rest("POST", "/agent/decisions", { body });
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [join(__dirname, "contenders/rules/main.mjs")], {
      env: { PATH, HOME, DATABASE_URL: gateway.databaseUrl, PORT: "0", RULES: "1", DECIDER: "functions" },
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
      const { body: decisions } = await decisionClient(gateway).list();
      const { outcome, ruleId, situation, contactId, conversationId } = own.body;
      // The contender's IDs are random, so its decision may be anywhere in the list.
      const found = decisions.find((each: { id: string }) => each.id === id);
      expect(found).toMatchObject({ outcome, ruleId, situation, contactId, conversationId });
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });
});
