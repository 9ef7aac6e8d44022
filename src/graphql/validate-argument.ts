import { getNamedType } from "graphql";
import type { ValidatorFn } from "type-graphql";
import { InvalidInput } from "../errors";
import { validateInput } from "../schema/validate-input";

/**
 * Validates an argument of a resolver, or the object of all its arguments, by the rules on its class.
 * @throws InvalidInput with paths that start with an argument's name
 */
export const validateArgument: ValidatorFn = (value, type, { info }) =>
  // Scalars have no rules; most resolvers take nothing else, and a promise would only delay them.
  typeof value === "object" && value !== null ? validateObject(value, type, info) : undefined;

async function validateObject(
  value: object,
  type: Parameters<ValidatorFn>[1],
  info: Parameters<ValidatorFn>[2]["info"],
): Promise<void> {
  try {
    await validateInput(value);
  } catch (error) {
    const { args = [] } = info.parentType.getFields()[info.fieldName] ?? {};
    const argument = args.find((each) => getNamedType(each.type).name === (type as { name?: string }).name);
    throw error instanceof InvalidInput && argument ? error.within(argument.name) : error;
  }
}
