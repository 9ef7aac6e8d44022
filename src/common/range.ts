import { applyDecorators } from "./apply-decorators";
import { JsonSchema } from "./json-schema";
import { Max, Min } from "./validators";

/** Validates that the property is a number from `minimum` to `maximum`, inclusive. */
export function IsBetween(minimum: number, maximum: number): PropertyDecorator {
  const tooSmall = `must be at least ${minimum}`;
  const tooLarge = `must be at most ${maximum}`;
  const check = (value: unknown) => {
    if (typeof value !== "number") return undefined;
    if (value < minimum) return tooSmall;
    return value > maximum ? tooLarge : undefined;
  };
  return applyDecorators(
    Min(minimum, { message: tooSmall }),
    Max(maximum, { message: tooLarge }),
    JsonSchema({ minimum, maximum }, check),
  );
}
