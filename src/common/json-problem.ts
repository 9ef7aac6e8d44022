/** Returns the problem if a JSON value is too large or has text that the database cannot store; otherwise undefined. */
export function jsonProblem(value: unknown, maxBytes: number): string | undefined {
  let hasInvalidText = false;
  const check = (text: string) => {
    hasInvalidText ||= text.includes("\0") || !text.isWellFormed();
  };
  const json = JSON.stringify(value, (name, member: unknown) => {
    check(name);
    if (typeof member === "string") check(member);
    return member;
  });
  if (Buffer.byteLength(json) > maxBytes) return `must have at most ${maxBytes} bytes as JSON`;
  return hasInvalidText ? "must contain only well-formed Unicode without the NUL character" : undefined;
}
