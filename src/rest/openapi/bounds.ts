import { maxHeaderSize } from "node:http";
import { UUID_COLUMN } from "../../database/columns";
import type { JsonSchema } from "../json-value";

/** Bounds that formats imply. */
const BY_FORMAT: Readonly<Record<string, JsonSchema>> = {
  uuid: { maxLength: UUID_COLUMN.length },
  "date-time": { maxLength: 64 },
  int32: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
};

const ROUNDED = "JavaScript rounds integers beyond 2^53: use a lossless JSON library.";

/** Adds the bounds that formats and enumerations imply, and a rounding warning to each int64. */
export const withBounds = (document: JsonSchema): JsonSchema =>
  mapped(document, (schema) => ({
    ...(schema.enum === undefined ? BY_FORMAT[String(schema.format)] : rangeOf(schema)),
    ...schema,
    ...(schema.format === "int64" && {
      description: [schema.description, ROUNDED].filter(Boolean).join(" "),
    }),
  }));

const rangeOf = ({ type, enum: values }: JsonSchema): JsonSchema =>
  type === "integer"
    ? { minimum: Math.min(...(values as number[])), maximum: Math.max(...(values as number[])) }
    : {};

/** Limits all strings and lists without bounds in a part of a document to `max`. */
export const boundedBy = <Part extends JsonSchema | readonly JsonSchema[]>(max: number, part: Part): Part =>
  mapped(part, (schema) => {
    if (schema.type === "array") return { maxItems: max, ...schema };
    const isBounded = schema.enum !== undefined || BY_FORMAT[String(schema.format)] !== undefined;
    return schema.type === "string" && !isBounded ? { maxLength: max, ...schema } : schema;
  });

/** Bounds values in URLs and headers, because Node limits their total size. */
export const inHeaders = <Part extends JsonSchema | readonly JsonSchema[]>(part: Part): Part =>
  boundedBy(maxHeaderSize, part);

/** Applies a change to all objects in a part of a document, inner objects first. */
function mapped<Part>(part: Part, change: (schema: JsonSchema) => JsonSchema): Part {
  if (Array.isArray(part)) return part.map((each) => mapped(each, change)) as Part;
  if (typeof part !== "object" || part === null) return part;
  const members = Object.entries(part).map(([name, each]) => [name, mapped(each, change)]);
  return change(Object.fromEntries(members)) as Part;
}
