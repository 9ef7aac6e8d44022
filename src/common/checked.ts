import { applyDecorators } from "./apply-decorators";
import { type Check, JsonSchema, type JsonSchemaRule } from "./json-schema";
import { ValidateBy } from "./validators";

/** Validates with a named check, whose problem all APIs report; `rule` is what JSON Schema can express. */
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
