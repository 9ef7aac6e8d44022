import type { EffectDocument } from "./effect-format";
import type { ConfigurationDocument } from "./format";
import { type Problem, pathOf } from "./problem";

/** Finds topics that the policy does not declare. */
export function topicProblems(document: ConfigurationDocument): Problem[] {
  const { policy, templates = {}, rules = [], otherwise = [] } = document;
  const { topics = {}, caps = [] } = policy ?? {};
  const check = (topic: string | undefined, path: readonly PropertyKey[]): Problem[] =>
    topic === undefined || Object.hasOwn(topics, topic)
      ? []
      : [
          {
            path: pathOf(path),
            message: "is not a topic of the policy",
            unknown: [topic, Object.keys(topics)],
          },
        ];
  const ofEffects = (effects: readonly EffectDocument[], path: readonly PropertyKey[]) =>
    effects.flatMap((effect, index) =>
      "send" in effect ? check(effect.topic, [...path, index, "topic"]) : [],
    );
  return [
    ...caps.flatMap((cap, index) =>
      (cap.topics ?? []).flatMap((topic, at) => check(topic, ["policy", "caps", index, "topics", at])),
    ),
    ...Object.entries(templates).flatMap(([name, template]) =>
      typeof template === "string" ? [] : check(template.topic, ["templates", name, "topic"]),
    ),
    ...rules.flatMap((rule, index) => ofEffects(rule.do ?? [], ["rules", index, "do"])),
    ...ofEffects(otherwise, ["otherwise"]),
  ];
}
