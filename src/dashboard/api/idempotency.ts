import { useRef } from "react";

/**
 * Makes it safe to retry after a lost response: an unchanged form gets the same idempotency key, so that the server
 * creates only one resource.
 */
export function useIdempotencyKey(): (fields: unknown) => string {
  const last = useRef<{ form: string; key: string }>(undefined);
  return (fields) => {
    const form = JSON.stringify(fields);
    // crypto.randomUUID is missing on plain HTTP.
    if (last.current?.form !== form) {
      last.current = { form, key: [...crypto.getRandomValues(new Uint32Array(4))].join("-") };
    }
    return last.current.key;
  };
}
