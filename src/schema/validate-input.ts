import type { ValidationError } from "class-validator";
import { Validator } from "../common/validators";
import { type InputProblem, InvalidInput } from "../errors";
import { addProblemsOfRules } from "./object-rule";

const validator = new Validator();

/** @throws InvalidInput with all problems that the class's decorators find, without the submitted values */
export async function validateInput(input: unknown): Promise<void> {
  if (typeof input !== "object" || input === null) return;
  const errors = await validator.validate(input, {
    // Allows classes whose only rules are about the whole object.
    forbidUnknownValues: false,
    skipMissingProperties: false,
    validationError: { target: false, value: false },
  });
  const problems = errors.flatMap((error) => problemsOf(error, ""));
  addProblemsOfRules(input, "", problems);
  if (problems.length > 0) throw new InvalidInput(problems);
}

/** Returns the problems of an input object; undefined if it is valid. */
export async function problemIn(input: unknown): Promise<InvalidInput | undefined> {
  try {
    await validateInput(input);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
}

function problemsOf(error: ValidationError, prefix: string): InputProblem[] {
  const path = prefix + error.property;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ path, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${path}.`))];
}
