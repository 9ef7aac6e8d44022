// Decides with json-rules-engine or with functions, in one transaction that reads and writes the same rows as the
// product.
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import { engineRulesOf, functionsOf, rulesOf } from "../../decisions/rules.mjs";
import { callerOf } from "../raw/caller.mjs";
import { announce } from "../raw/listening.mjs";
import { openStore } from "./store.mjs";

const DECIDERS = {
  async "json-rules-engine"(rules) {
    const { Engine } = await import("json-rules-engine");
    const engine = new Engine(engineRulesOf(rules));
    return async (facts) => (await engine.run(facts)).events[0]?.type;
  },
  async functions(rules) {
    const known = functionsOf(rules);
    return (facts) => known.find(({ matches }) => matches(facts))?.id;
  },
};

const rules = rulesOf(Number(process.env.RULES));
const decide = await DECIDERS[process.env.DECIDER](rules);
const store = openStore(process.env.DATABASE_URL);
const app = fastify();

app.post("/agent/decisions", async ({ headers, body: { situation, contact: reference } }, reply) => {
  const { agent } = await callerOf(store, headers.authorization);
  const decision = await store.transaction(async (rows) => {
    const now = new Date().toISOString();
    const row = await rows.contact(agent.id, reference.ref);
    const line = await rows.line(agent.id);
    const address = await rows.address(row.id);
    const conversation = await rows.conversation(line.id, address.id);
    const contact = { ...row, attributes: JSON.parse(row.attributes), tags: await rows.tags(row.id) };
    const snapshot = { contact, conversation, agent: { slug: agent.slug, name: agent.name }, now };
    const ruleId = await decide({ situation, contact });
    const id = randomUUID();
    const effects = [];
    if (ruleId !== undefined) {
      const text = `Hi ${contact.name}, order ${situation.data.orderId} is on its way.`;
      const messageId = randomUUID();
      const expiresAt = new Date(Date.parse(now) + line.expire_after_seconds * 1000).toISOString();
      const sequence = conversation.lastSequence + 1;
      await rows.insertMessage([
        messageId,
        agent.id,
        text,
        now,
        expiresAt,
        conversation.id,
        sequence,
        conversation.version,
        id,
      ]);
      await rows.insertLane([conversation.id, agent.id, now]);
      await rows.updateConversation([sequence, now, conversation.id]);
      effects.push({ kind: "send", status: "done", messageId, text });
    }
    const outcome = ruleId === undefined ? "silent" : "send";
    const explanation = { version: 1, now, effects };
    await rows.insertDecision([
      id,
      agent.id,
      contact.id,
      conversation.id,
      situation.type,
      JSON.stringify(situation),
      JSON.stringify(snapshot),
      outcome,
      ruleId,
      JSON.stringify(effects),
      JSON.stringify(explanation),
      now,
    ]);
    return {
      id,
      contactId: contact.id,
      conversationId: conversation.id,
      situation,
      outcome,
      ruleId,
      explanation,
    };
  });
  reply.code(201);
  return decision;
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
announce(app.server, () => app.close());
