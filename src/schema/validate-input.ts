import type { ValidationError } from "class-validator";
import { Validator } from "../common/validators";
import { type InputProblem, InvalidInput } from "../errors";

const validator = new Validator();

/**
 * Validates an input object by the decorators of its class.
 * @throws InvalidInput with every invalid property, without the submitted values
 */
export async function validateInput(input: unknown): Promise<void> {
  if (typeof input !== "object" || input === null) return;
  const errors = await validator.validate(input, {
    forbidUnknownValues: true,
    skipMissingProperties: false,
    validationError: { target: false, value: false },
  });
  if (errors.length > 0) throw new InvalidInput(errors.flatMap((error) => problemsOf(error, "")));
}

function problemsOf(error: ValidationError, prefix: string): InputProblem[] {
  const path = prefix + error.property;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ path, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${path}.`))];
}
