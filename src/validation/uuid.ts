import { JsonSchema } from "./json-schema";

/** The property holds a UUID. */
export const Uuid = JsonSchema({ format: "uuid" });

/** Whether a text is a UUID in the spelling of RFC 9562: 36 characters in lower case. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
