import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { median } from "../stats.mjs";
import { documentOf, rulesOf, SITUATION, TAGS } from "./rules.mjs";

const DIST = new URL("../../../dist/src/features/configuration/document/", import.meta.url);
const product = (path) => createRequire(import.meta.url)(fileURLToPath(new URL(path, DIST)));

const RUNS = 2_000;

const inputOf = (situation, contact = {}) => ({
  situation,
  contact: {
    ref: "anna",
    name: "Anna",
    locale: null,
    timezone: null,
    attributes: {},
    tags: TAGS,
    ...contact,
  },
  conversation: null,
  message: null,
  agent: { slug: "agent", name: "Agent" },
  now: "2026-11-22T06:37:35.072Z",
  spent: [],
});

async function compile(document) {
  const { checkDocument } = product("check-document.js");
  const { CompiledConfiguration } = product("compiled-configuration.js");
  const { problems, document: checked } = await checkDocument(document);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return new CompiledConfiguration(checked, true);
}

/** Returns the time to evaluate a number of rules, without the database and after a warm-up (µs). */
export async function evaluationMicros(count) {
  const { evaluate } = product("evaluate.js");
  const configuration = await compile(documentOf(rulesOf(count)));
  const times = [];
  for (let i = 0; i < RUNS; i += 1) {
    const from = performance.now();
    evaluate(configuration, inputOf(SITUATION));
    times.push((performance.now() - from) * 1000);
  }
  return median(times);
}

const NESTED = "{% for a in contact.attributes.list %}{% for b in contact.attributes.list %}";

/** Documents that try to keep the process busy: `when` has the conditions of each rule, `text` is the message. */
const HOSTILE = {
  "200 rules with 10 conditions over long lists": {
    when: Array(10).fill("contact.attributes.list.exists(each, each in contact.attributes.list) || true"),
  },
  "texts that are searched in themselves": {
    when: Array(10).fill("(situation.data.text + situation.data.text).contains(situation.data.text) || true"),
  },
  "texts that grow": { when: [`size(${"situation.data.text + ".repeat(50)}"") < 0`] },
  "long comparisons": { when: Array(10).fill("contact.attributes.list == contact.attributes.list") },
  "nested loops in a text": { text: `${NESTED}{{ a }}{% endfor %}{% endfor %}` },
  "loops without an output": { text: `${NESTED}{% endfor %}{% endfor %}` },
  "replacements that grow": {
    text: "{{ situation.data.text | replace: 'a', situation.data.text | replace: 'a', situation.data.text }}",
  },
  "joined lists": { text: "{{ contact.attributes.list | join: situation.data.text | size }}".repeat(200) },
};

const hostileDocument = ({ when = [], text = "Hello" }) => ({
  format: 1,
  situations: { "order.shipped": { text: "string" } },
  templates: { text },
  rules: Array.from({ length: 200 }, (_, i) => ({
    id: `rule-${i + 1}`,
    on: "order.shipped",
    when,
    do: [{ send: "text" }],
    continue: true,
  })),
});

/** Measures how long the evaluation of hostile documents blocks the process. */
export async function hostileEvaluations() {
  const { evaluate } = product("evaluate.js");
  const situation = { type: "order.shipped", data: { text: "a".repeat(30_000) } };
  const attributes = { list: Array.from({ length: 2_000 }, (_, i) => i) };
  const results = [];
  for (const [title, parts] of Object.entries(HOSTILE)) {
    const configuration = await compile(hostileDocument(parts));
    const times = [];
    let isStopped = false;
    for (let i = 0; i < 10; i += 1) {
      const from = performance.now();
      const result = evaluate(configuration, inputOf(situation, { attributes }));
      times.push(performance.now() - from);
      isStopped = JSON.stringify(result).includes("too_expensive");
    }
    results.push({ title, first: times[0], median: median(times), most: Math.max(...times), isStopped });
  }
  return results;
}
