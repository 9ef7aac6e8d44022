import { applyDecorators } from "./apply-decorators";
import { type Check, JsonSchema, type JsonSchemaRule } from "./json-schema";
import { ValidateBy } from "./validators";

/**
 * Validates a property with a check. All APIs report its problem together with the other properties' problems.
 * @param name identifies the check within a property
 * @param rule the part of the check that JSON Schema can express
 */
export const Checked = (name: string, check: Check, rule: JsonSchemaRule = {}): PropertyDecorator =>
  applyDecorators(
    ValidateBy({
      name,
      validator: {
        validate: (value) => check(value) === undefined,
        defaultMessage: (args) => check(args?.value) ?? "",
      },
    }),
    JsonSchema(rule, check),
  );
