import { z } from "zod";
import type { ErrorCode } from "../errors";

type JsonSchema = Readonly<Record<string, unknown>>;

interface Body {
  schema: JsonSchema;
  example?: object;
}

/** A documented POST operation that needs no API key and has no GraphQL document. */
export interface HttpOperation {
  operationId: string;
  summary: string;
  /** Parameters as `{name}`. */
  path: `/${string}`;
  parameters: readonly JsonSchema[];
  /** The body, by content type. */
  body: Readonly<Record<string, Body>>;
  /** The success responses, by status; a response without a schema has no body. */
  answers: Readonly<Record<number, { description: string } & Partial<Body>>>;
  errors: readonly ErrorCode[];
}

/** Operations of a feature, one group in the documentation. */
export interface HttpOperations {
  tag: string;
  description: string;
  /** Describes the operations; called only to create the documentation. */
  operations(): readonly HttpOperation[];
}

/** Returns the JSON Schema of a body. */
export const bodySchema = (body: z.ZodType): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: "input" });
  return schema;
};
