/** The reason why a condition could not be evaluated. */
export type FailureCode =
  | "null_value"
  | "no_such_member"
  | "out_of_range"
  | "type_mismatch"
  | "overflow"
  | "division_by_zero"
  | "invalid_value"
  | "too_expensive";

/** Thrown when part of a condition fails; an enclosing `||`, `&&` or macro may still have a value. */
export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly code: FailureCode,
    message: string,
  ) {
    super(message);
  }
}
