import { Max, Min } from "class-validator";
import { JsonSchema } from "./json-schema";

/** The property must be a number from `minimum` to `maximum`, both included. */
export function IsBetween(minimum: number, maximum: number): PropertyDecorator {
  const decorators = [
    Min(minimum, { message: `must be at least ${minimum}` }),
    Max(maximum, { message: `must be at most ${maximum}` }),
    JsonSchema({ minimum, maximum }),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
