import { listRoute, named, type RouteGroup } from "../../schema/rest-route";

const DECISION = `id contactId conversationId timerId situation { type data } situationKey configurationVersion decider state outcome ruleId
  failedEffects createdAt decidedAt`;

const EXPLANATION = `explanation {
  version now
  model { name durationMs inputTokens outputTokens }
  error { code message }
  gates { name passed nearest }
  rules { ruleId matched spent clauses { source value error { code message } read { path value isCut } } }
  effects { kind ruleId status error { code message } messageId template text locale subject html resendOf delaySeconds topic isUrgent gate { name until path topic } line obstacles { line error { code message } } tags reason scope timer { timerId key situationType data dueAt } }
}`;

const EXCHANGE =
  "modelExchange { instructions texts { name text } history { author text createdAt isCut } answer }";

const ID = {
  name: "decisionId",
  variable: "id",
  format: "uuid",
  example: "01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43",
} as const;

const SHIPPED = { type: "order.shipped", data: { orderId: "A-17", tracking: "https://track.example/A-17" } };

const TO_ANNA = {
  id: ID.example,
  contactId: "01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b11",
  conversationId: "01a1fcd3-17a0-7d1e-8b0f-5a1f7c0f2b21",
  situation: SHIPPED,
  configurationVersion: 1,
  decider: "rules",
  state: "decided",
  outcome: "send",
  ruleId: "order-shipped",
  failedEffects: 0,
  createdAt: "2026-11-22T06:37:35.072Z",
  decidedAt: "2026-11-22T06:37:35.072Z",
};

const EXPLAINED = {
  ...TO_ANNA,
  explanation: {
    version: 1,
    now: TO_ANNA.createdAt,
    gates: [{ name: "handler", passed: true }],
    rules: [{ ruleId: "order-shipped", matched: true, clauses: [] }],
    effects: [
      {
        kind: "send",
        ruleId: "order-shipped",
        status: "done",
        messageId: "01a1fcd4-2b51-7e2f-9c1a-6b2a8d1a3c32",
        template: "shipped",
        text: "Hi Anna, your order A-17 is on its way. Follow it: https://track.example/A-17",
        delaySeconds: 0,
      },
    ],
  },
};

export const decisionRoutes: RouteGroup = {
  tag: "Decisions",
  description: "The agent's decisions in the situations submitted to it.",
  routes: [
    {
      operationId: "decide",
      summary: "Submit a situation to the agent",
      method: "POST",
      path: "/agent/decisions",
      document: `mutation decide($input: DecideInput!) { decide(input: $input) { ${DECISION} ${EXPLANATION} ${EXCHANGE} } }`,
      bodyVariable: "input",
      status: {
        oneOf: [200, 201, 202],
        choose: ({ id, state }) => (id == null ? 200 : state === "deciding" ? 202 : 201),
      },
      location: ({ id }) => `/agent/decisions/${id}`,
      errors: ["not_found", "conflict", "queue_full"],
      reachesPeople: true,
      answers: {
        200: "The decision that the agent would make, for a dry run.",
        201: "The decision. Its effects are stored.",
        202: "The decision that a model is still making.",
      },
      example: { body: { situation: SHIPPED, contact: { ref: "customer-17" } }, answer: EXPLAINED },
    },
    listRoute({
      operationId: "listDecisions",
      summary: "List decisions",
      path: "/agent/decisions",
      field: "decisions",
      parameters:
        "conversationId: ID, contactId: ID, key: String, type: String, ruleId: String, version: Int, outcome: DecisionOutcome, hasFailures: Boolean, since: DateTimeISO, until: DateTimeISO",
      node: DECISION,
      answers: "One page of decisions, newest first, without explanations.",
      example: { answer: [TO_ANNA] },
    }),
    {
      operationId: "getDecision",
      summary: "Get a decision",
      description: "One decision with its explanation, or 404 if it does not exist.",
      method: "GET",
      path: "/agent/decisions/:decisionId",
      document: `query getDecision($id: ID!) { decision(id: $id) { ${DECISION} ${EXPLANATION} ${EXCHANGE} } }`,
      pathParameters: [ID],
      answers: "The decision.",
      example: { answer: EXPLAINED },
    },
    {
      operationId: "replayDecision",
      summary: "Replay a decision with another configuration",
      method: "POST",
      path: "/agent/decisions/:decisionId/replay",
      document: `query replayDecision($id: ID!, $against: ReplayAgainst!) {
        replayDecision(id: $id, against: $against) {
          decisionId situationType status recordedRuleId ruleId error { code message } ${EXPLANATION}
        }
      }`,
      pathParameters: [ID],
      bodyMembers: named("against"),
      errors: ["not_found", "conflict"],
      answers: "The replayed decision. Nothing is stored or sent.",
      example: {
        body: { against: { version: 2 } },
        answer: {
          decisionId: ID.example,
          situationType: "order.shipped",
          status: "changed",
          recordedRuleId: "order-shipped",
          explanation: { version: 2, now: TO_ANNA.createdAt, gates: [], rules: [], effects: [] },
        },
      },
    },
    {
      operationId: "testFromDecision",
      summary: "Create a test from a decision",
      method: "GET",
      path: "/agent/decisions/:decisionId/test",
      document: "query testFromDecision($id: ID!) { testFromDecision(id: $id) { test } }",
      pathParameters: [ID],
      errors: ["not_found", "conflict"],
      // Not useful to a model, because a configuration cannot be saved or published with an API key.
      isForModels: false,
      answers: "A test that expects the agent's decision.",
      example: {
        answer: {
          test: {
            id: "order-shipped-8d1a3c43",
            now: TO_ANNA.createdAt,
            situation: SHIPPED,
            contact: { ref: "contact-1", name: "Alex", channels: ["local"] },
            agent: { slug: "first-agent", name: "First agent" },
            expect: { rule: "order-shipped", outcome: "send", sends: [{ template: "shipped" }], tags: [] },
          },
        },
      },
    },
  ],
};
