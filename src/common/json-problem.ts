/** Max values in JSON from a caller. Each check visits all values without yielding to the event loop. */
export const MAX_JSON_VALUES = 100_000;

/** Returns the problem if a JSON value is too large or contains text that the database cannot store. */
export function jsonProblem(value: unknown, maxBytes: number): string | undefined {
  let hasInvalidText = false;
  let values = 0;
  const check = (text: string) => {
    hasInvalidText ||= text.includes("\0") || !text.isWellFormed();
  };
  const json = JSON.stringify(value, (name, member: unknown) => {
    values += 1;
    if (values > MAX_JSON_VALUES) return undefined;
    check(name);
    if (typeof member === "string") check(member);
    return member;
  });
  if (values > MAX_JSON_VALUES) return `must have at most ${MAX_JSON_VALUES} values`;
  if (Buffer.byteLength(json) > maxBytes) return `must have at most ${maxBytes} bytes as JSON`;
  return hasInvalidText ? "must contain only well-formed Unicode without the NUL character" : undefined;
}
