// Decides with json-rules-engine or with functions, in one transaction that reads and writes the same rows as the
// product, including the events and the explanation.
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import { engineRulesOf, explainResults, functionsOf, rulesOf } from "../../decisions/rules.mjs";
import { callerOf } from "../raw/caller.mjs";
import { announce } from "../raw/listening.mjs";
import { openStore } from "./store.mjs";

/** The deciders, each with a function that returns the explanations of all rules. */
const DECIDERS = {
  async "json-rules-engine"(rules) {
    const { Engine } = await import("json-rules-engine");
    const engine = new Engine(engineRulesOf(rules));
    return async (facts) => explainResults(rules, await engine.run(facts));
  },
  async functions(rules) {
    const known = functionsOf(rules);
    return (facts) => known.map((explained) => explained(facts));
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
    const { id: contactId, attributes, ...named } = await rows.contact(agent.id, reference.ref);
    const line = await rows.line(agent.id);
    const addresses = await rows.addresses(contactId);
    const address = addresses.find(({ kind }) => kind === line.kind);
    const conversation = await rows.conversation(line.id, address.id);
    const contact = {
      ...named,
      attributes: JSON.parse(attributes),
      tags: await rows.tags(contactId),
      channels: [...new Set(addresses.map(({ kind }) => kind))].sort(),
    };
    const { handler, state } = conversation;
    const snapshot = {
      contact,
      conversation: { id: conversation.id, line: line.name, handler, state },
      message: null,
      agent: { slug: agent.slug, name: agent.name },
      now,
      spent: [],
    };
    const explained = await decide({ situation, contact });
    const ruleId = explained.find(({ matched }) => matched)?.ruleId;
    const id = randomUUID();
    const subject = `conversation:${conversation.id}`;
    const planned = [];
    const effects = [];
    const events = [];
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
      const template = "shipped";
      planned.push({ ruleId, error: null, kind: "send", template, text, line: null, delaySeconds: 0 });
      effects.push({ kind: "send", ruleId, status: "done", messageId, template, text, delaySeconds: 0 });
      events.push({
        type: "message.queued",
        data: {
          id: messageId,
          conversationId: conversation.id,
          sequence,
          status: "queued",
          author: "agent",
          decisionId: id,
          lineId: null,
          errorCode: null,
          providerId: null,
        },
      });
    }
    const outcome = ruleId === undefined ? "silent" : "send";
    const gates = [{ name: "handler", passed: true }];
    const explanation = { version: 2, now, gates, rules: explained, effects };
    events.push({
      type: "decision.made",
      data: {
        id,
        contactId,
        conversationId: conversation.id,
        situationType: situation.type,
        configurationVersion: 2,
        decider: "rules",
        outcome,
        ruleId: ruleId ?? null,
        failedEffects: 0,
        timerId: null,
      },
    });
    await rows.insertDecision([
      id,
      agent.id,
      contactId,
      conversation.id,
      situation.type,
      JSON.stringify(situation),
      JSON.stringify(snapshot),
      outcome,
      ruleId,
      JSON.stringify(planned),
      JSON.stringify(explanation),
      now,
    ]);
    await rows.insertEvents(agent.id, subject, events, now);
    return {
      id,
      contactId,
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
