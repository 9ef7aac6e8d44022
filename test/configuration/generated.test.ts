import { InvalidInput } from "../../src/errors";
import { MAX_CONDITION_STEPS, MAX_TEXT_STEPS } from "../../src/features/configuration/configuration.limits";
import { checkDocument } from "../../src/features/configuration/document/check-document";
import { CompiledConfiguration } from "../../src/features/configuration/document/compiled-configuration";
import { evaluate } from "../../src/features/configuration/document/evaluate";
import { decisionInput } from "../support/configuration";
import fc from "../support/generated";
import { anyDocument, situation, validDocument } from "../support/generated-configurations";
import { cases } from "../support/tiers";

/** Number of documents. Each is evaluated for `SITUATIONS` situations: 5,000 evaluations in total. */
const DOCUMENTS = cases(500);
const SITUATIONS = 10;

const inputOf = ({
  type,
  data,
  attributes,
  message,
  hasContact,
}: typeof situation extends fc.Arbitrary<infer T> ? T : never) => {
  const input = decisionInput();
  return {
    ...input,
    situation: { type, data },
    contact: hasContact && input.contact ? { ...input.contact, attributes } : null,
    message,
  };
};

/** Returns the result as JSON, or the rejection of a bad situation; any other error fails the test. */
function outcomeOf(configuration: CompiledConfiguration, input: ReturnType<typeof inputOf>): string {
  try {
    return JSON.stringify(evaluate(configuration, input));
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

test("checking any generated document returns a result", async () => {
  const seen = { valid: 0, refused: 0 };
  const check = async (generated: unknown) => {
    const { problems } = await checkDocument(generated);
    seen[problems.length > 0 ? "refused" : "valid"] += 1;
  };
  const any = fc.oneof({ weight: 9, arbitrary: anyDocument }, { weight: 1, arbitrary: fc.jsonValue() });
  await fc.assert(fc.asyncProperty(any, check), { numRuns: DOCUMENTS });
  expect(seen.valid).toBeGreaterThan(cases(5));
  expect(seen.refused).toBeGreaterThan(cases(50));
});

test("every generated situation has one result, within the budget, or is rejected", async () => {
  const seen = { evaluated: 0, refused: 0, expensive: 0 };
  const check = async (generated: object, inputs: ReturnType<typeof inputOf>[]) => {
    const { problems, document: checked } = await checkDocument(generated);
    expect(problems).toEqual([]);
    if (!checked) throw new Error("The document has no valid structure.");
    const [one, other] = [
      new CompiledConfiguration(checked, true),
      new CompiledConfiguration(structuredClone(checked), true),
    ];
    for (const input of inputs) {
      const outcome = outcomeOf(one, input);
      expect(outcomeOf(other, structuredClone(input))).toBe(outcome);
      if (!outcome.startsWith("{")) {
        seen.refused += 1;
        continue;
      }
      seen.evaluated += 1;
      expect(JSON.parse(outcome).steps).toBeLessThanOrEqual(MAX_CONDITION_STEPS + MAX_TEXT_STEPS + 2);
      if (outcome.includes("too_expensive")) seen.expensive += 1;
    }
  };
  const situations = fc.array(situation.map(inputOf), { minLength: SITUATIONS, maxLength: SITUATIONS });
  await fc.assert(fc.asyncProperty(validDocument, situations, check), { numRuns: DOCUMENTS });
  expect(seen.evaluated).toBeGreaterThan(cases(1_000));
  expect(seen.refused).toBeGreaterThan(cases(500));
  expect(seen.expensive).toBeGreaterThan(cases(5));
  expect(Object.keys(Object.prototype)).toEqual([]);
});
