import { situationTypes } from "./compiled-configuration";
import type { ConfigurationDocument } from "./format";
import { type Problem, problemAt } from "./problem";
import { MESSAGE_FAILED, MESSAGE_RECEIVED } from "./shapes";

/** Finds tests that name unknown rules or templates or describe impossible cases. */
export function testProblems({ tests = [], rules = [], templates = {} }: ConfigurationDocument): Problem[] {
  const ruleIds = new Set(rules.map(({ id }) => id));
  const limited = new Set(rules.flatMap(({ id, once }) => (once === undefined ? [] : [id])));
  const names = new Set(Object.keys(templates));
  const ids = new Set<string>();
  return tests.flatMap((test, index) => {
    const { id, situation, contact, conversation, message, failed, spent = [], expect } = test;
    const problem = (path: readonly PropertyKey[], text: string, unknown?: Problem["unknown"]) => [
      problemAt(["tests", index, ...path], text, unknown),
    ];
    const unknown = (
      name: string | null | undefined,
      known: ReadonlySet<string>,
      path: readonly PropertyKey[],
      what: string,
    ) => (name == null || known.has(name) ? [] : problem(path, `is not the ${what}`, [name, known]));
    const isRepeated = ids.has(id);
    ids.add(id);
    return [
      ...(isRepeated ? problem(["id"], "is the id of another test") : []),
      ...(contact?.handedOff && conversation !== undefined
        ? problem(["contact", "handedOff"], "must not be used with a conversation, which has a handler")
        : []),
      ...(message !== undefined && situation.type !== MESSAGE_RECEIVED
        ? problem(["message"], `must be used only with ${MESSAGE_RECEIVED}`)
        : []),
      ...(failed !== undefined && situation.type !== MESSAGE_FAILED
        ? problem(["failed"], `must be used only with ${MESSAGE_FAILED}`)
        : []),
      ...spent.flatMap((rule, at) => unknown(rule, limited, ["spent", at], "id of a rule with once")),
      ...unknown(expect.rule, ruleIds, ["expect", "rule"], "id of a rule"),
      ...(expect.sends ?? []).flatMap(({ template }, at) =>
        unknown(template, names, ["expect", "sends", at, "template"], "name of a template"),
      ),
    ];
  });
}

/** Finds tests with situations that the document does not declare. */
export function undeclaredTests(document: ConfigurationDocument): Problem[] {
  const types = new Set(situationTypes(document));
  return (document.tests ?? []).flatMap(({ situation: { type } }, index) => {
    const path = ["tests", index, "situation", "type"];
    return types.has(type) ? [] : problemAt(path, "is not a declared situation", [type, types]);
  });
}
