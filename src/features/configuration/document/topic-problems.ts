import { type ConfigurationDocument, effectsOf } from "./format";
import { type Problem, problemAt } from "./problem";

/** Finds topics that the policy does not declare. */
export function topicProblems(document: ConfigurationDocument): Problem[] {
  const { policy, templates = {} } = document;
  const { topics = {}, caps = [] } = policy ?? {};
  const check = (topic: string | undefined, path: readonly PropertyKey[]): Problem[] =>
    topic === undefined || Object.hasOwn(topics, topic)
      ? []
      : [problemAt(path, "is not a topic of the policy", [topic, Object.keys(topics)])];
  return [
    ...caps.flatMap((cap, index) =>
      (cap.topics ?? []).flatMap((topic, at) => check(topic, ["policy", "caps", index, "topics", at])),
    ),
    ...Object.entries(templates).flatMap(([name, template]) =>
      typeof template === "string" ? [] : check(template.topic, ["templates", name, "topic"]),
    ),
    ...effectsOf(document).flatMap(({ effect, path }) =>
      "send" in effect ? check(effect.topic, [...path, "topic"]) : [],
    ),
  ];
}
