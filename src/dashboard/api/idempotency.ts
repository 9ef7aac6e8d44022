import { useRef } from "react";

/** Returns a new idempotency key; crypto.randomUUID is unavailable over plain HTTP. */
export const newIdempotencyKey = (): string => [...crypto.getRandomValues(new Uint32Array(4))].join("-");

/**
 * Makes retries after a lost response safe: an unchanged form keeps its idempotency key, so the server creates only one
 * resource.
 */
export function useIdempotencyKey(): (fields: unknown) => string {
  const last = useRef<{ form: string; key: string }>(undefined);
  return (fields) => {
    const form = JSON.stringify(fields);
    if (last.current?.form !== form) last.current = { form, key: newIdempotencyKey() };
    return last.current.key;
  };
}
