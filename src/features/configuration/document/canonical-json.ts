import { createHash } from "node:crypto";

/**
 * Returns the canonical form of a JSON value (RFC 8785): members sorted by UTF-16 code units, no whitespace.
 * `JSON.stringify` already writes strings and numbers in canonical form.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/** Returns the SHA-256 of a JSON value's canonical form, in hexadecimal. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex");
