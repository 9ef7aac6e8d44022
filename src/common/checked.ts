import { type Check, JsonSchema, type JsonSchemaRule } from "./json-schema";
import { ValidateBy } from "./validators";

/**
 * Requires a property to pass a check; all APIs run the checks of all properties together.
 * @param name identifies the check within a property
 * @param rule the part of the check that JSON Schema can express
 */
export function Checked(name: string, check: Check, rule: JsonSchemaRule = {}): PropertyDecorator {
  const validate = ValidateBy({
    name,
    validator: {
      validate: (value) => check(value) === undefined,
      defaultMessage: (args) => check(args?.value) ?? "",
    },
  });
  const declare = JsonSchema(rule, check);
  return (target, property) => {
    validate(target, property);
    declare(target, property);
  };
}
