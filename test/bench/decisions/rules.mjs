// The rules of the section `decisions`, in the format of each contender. Only the last rule matches, and the others
// fail at their second condition, so that all conditions are evaluated.

const MIN_TOTAL = 100;
const WANTED = "vip";

/** @param count number of rules */
export const rulesOf = (count) =>
  Array.from({ length: count }, (_, i) => ({
    id: `rule-${i + 1}`,
    minTotal: MIN_TOTAL,
    tag: i === count - 1 ? WANTED : `group-${i}`,
  }));

/** The tags of every contact. */
export const TAGS = [WANTED, "customer"];

/** The situation to decide about. */
export const SITUATION = { type: "order.shipped", data: { orderId: "A1", total: 120 } };

/** Returns the rules as a configuration of the product. */
export const documentOf = (rules) => ({
  format: 1,
  situations: { "order.shipped": { orderId: "string", total: "double" } },
  templates: { shipped: "Hi {{ contact.name }}, order {{ situation.data.orderId }} is on its way." },
  rules: rules.map(({ id, minTotal, tag }) => ({
    id,
    on: "order.shipped",
    when: [`situation.data.total > ${minTotal}.0`, `"${tag}" in contact.tags`],
    do: [{ send: "shipped" }],
  })),
});

/** Returns the rules as handwritten functions, without a rules engine. */
export const functionsOf = (rules) =>
  rules.map(({ id, minTotal, tag }) => ({
    id,
    matches: ({ situation, contact }) => situation.data.total > minTotal && contact.tags.includes(tag),
  }));

/** Returns the rules for json-rules-engine. */
export const engineRulesOf = (rules) =>
  rules.map(({ id, minTotal, tag }) => ({
    conditions: {
      all: [
        { fact: "situation", path: "$.data.total", operator: "greaterThan", value: minTotal },
        { fact: "contact", path: "$.tags", operator: "contains", value: tag },
      ],
    },
    event: { type: id },
  }));
