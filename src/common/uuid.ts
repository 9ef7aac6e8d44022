import { v7 as uuid, v5 } from "uuid";
import { JsonSchema } from "./json-schema";

/** Declares that the property holds a UUID. */
export const Uuid = JsonSchema({ format: "uuid" });

/** True if a string is a UUID in canonical lowercase form (RFC 9562). */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

/** Returns the UUIDv5 of a name, with another ID as its namespace (RFC 9562, 5.5). */
export const derivedId = (name: string, namespace: string): string => v5(name, namespace);

/** Returns a lower bound for UUIDv7s created at or after a time (ms), their first 48 bits (RFC 9562, 5.7). */
export function leastUuidAt(ms: number): string {
  const digits = Math.max(0, Math.min(ms, 2 ** 48 - 1))
    .toString(16)
    .padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/** Generates an ID (UUIDv7) that sorts after `last`, even if the processes' clocks differ. */
export function uuidAfter(last: string | null | undefined): string {
  const now = uuid();
  return last == null || now > last ? now : uuid({ msecs: millisecondsOf(last) + 1 });
}

/** Returns the time in the first 48 bits of a UUIDv7 (RFC 9562, 5.7). */
export const millisecondsOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);
