import type { ValueTransformer } from "typeorm";

/** A value held as its stored JSON text, which is parsed only when the value is read. */
export class StoredJson<Value> {
  constructor(readonly text: string) {}

  get value(): Value {
    return JSON.parse(this.text);
  }

  toJSON(): Value {
    return this.value;
  }
}

/** Stores a `StoredJson` in a text column. */
export const STORED_JSON: ValueTransformer = {
  to: (json: StoredJson<unknown> | null) => json?.text ?? null,
  from: (text: string | null) => (text === null ? null : new StoredJson(text)),
};
