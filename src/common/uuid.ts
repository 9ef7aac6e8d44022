import { JsonSchema } from "./json-schema";

/** The property holds a UUID. */
export const Uuid = JsonSchema({ format: "uuid" });

/** Whether a text is a UUID in the spelling of RFC 9562: 36 characters in lower case. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

/** The least text that a UUID of version 7 from a time on (ms) can be: its first 48 bits are that time (RFC 9562, 5.7). */
export function leastUuidAt(ms: number): string {
  const digits = Math.max(0, Math.min(ms, 2 ** 48 - 1))
    .toString(16)
    .padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
