// The rules of the section `decisions`, in the format of each contender. Only the last rule matches, and the others
// fail at their second condition, so that all conditions are evaluated.

const MIN_TOTAL = 100;
const WANTED = "vip";

/**
 * @param count number of rules
 * @returns the rules, with their conditions in the product's language, which every contender's explanations contain
 */
export const rulesOf = (count) =>
  Array.from({ length: count }, (_, i) => {
    const tag = i === count - 1 ? WANTED : `group-${i}`;
    const conditions = [`situation.data.total > ${MIN_TOTAL}.0`, `"${tag}" in contact.tags`];
    return { id: `rule-${i + 1}`, minTotal: MIN_TOTAL, tag, conditions };
  });

/** The tags of every contact. */
export const TAGS = [WANTED, "customer"];

/** The situation to decide about. */
export const SITUATION = { type: "order.shipped", data: { orderId: "A1", total: 120 } };

/** Returns the rules as a configuration of the product. */
export const documentOf = (rules) => ({
  format: 1,
  situations: { "order.shipped": { orderId: "string", total: "double" } },
  templates: { shipped: "Hi {{ contact.name }}, order {{ situation.data.orderId }} is on its way." },
  rules: rules.map(({ id, conditions }) => ({
    id,
    on: "order.shipped",
    when: conditions,
    do: [{ send: "shipped" }],
  })),
});

/** The paths of the values that the conditions read. */
const READ = ["situation.data.total", "contact.tags"];

const explain = ({ id, conditions }, matched, values, read) => ({
  ruleId: id,
  matched,
  clauses: conditions.map((source, i) => ({
    source,
    value: values[i],
    read: [{ path: READ[i], value: read[i] }],
  })),
});

/** Returns handwritten functions, without a rules engine, that return each rule's explanation. */
export const functionsOf = (rules) =>
  rules.map((rule) => ({ situation, contact }) => {
    const read = [situation.data.total, contact.tags];
    const values = [read[0] > rule.minTotal, read[1].includes(rule.tag)];
    return explain(rule, values.every(Boolean), values, read);
  });

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

/** Returns the explanations of rules from the results of json-rules-engine. */
export function explainResults(rules, { results, failureResults }) {
  const byId = new Map([...failureResults, ...results].map((result) => [result.event.type, result]));
  return rules.map((rule) => {
    const { result: matched, conditions } = byId.get(rule.id);
    const tried = conditions.all;
    return explain(
      rule,
      matched,
      tried.map(({ result }) => result),
      tried.map(({ factResult }) => factResult),
    );
  });
}
