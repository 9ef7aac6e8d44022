import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Reply } from "./gateway";

interface Response {
  headers: Record<string, { $ref: string }>;
  content?: Record<string, { schema: object }>;
}

/** A response of an operation, or a reference to a reusable one. */
type ResponseOrReference = Response & { $ref?: string };

type Operations = Record<string, { responses: Record<string, ResponseOrReference> }>;

interface Document {
  paths: Record<string, Operations>;
  components: { headers: Record<string, { schema: object }>; responses: Record<string, Response> };
}

/** Written by the global setup. */
const document: Document = JSON.parse(readFileSync(process.env.TEST_OPENAPI_FILE ?? "", "utf8"));
const { paths, components } = document;
const TEMPLATES = Object.keys(paths).map(
  (template) => [template, new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`)] as const,
);

/** Paths without a contract that match a path with a parameter. */
const OTHERS = ["/agent/configuration/schema"];

// The schemas themselves are checked by test/openapi.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: "openapi" });

const resolved = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'));

const validators = new WeakMap<object, ValidateFunction>();

/** Returns a function that checks a value against a part of the document; cached. */
function validatorOf(schema: object): ValidateFunction {
  const validate = validators.get(schema) ?? ajv.compile(resolved(schema));
  validators.set(schema, validate);
  return validate;
}

/** The bodies of errors by media type. */
const ANY_ERROR: Readonly<Record<string, object>> = {
  "application/json": { $ref: "#/components/schemas/Error" },
  "application/problem+json": { $ref: "#/components/schemas/Problem" },
};
const ANY_HEADER = {};
const ANY_BODY = {};

const responseOf = (response: ResponseOrReference | undefined): Response | undefined =>
  response?.$ref === undefined ? response : components.responses[response.$ref.split("/").at(-1) ?? ""];

/** Headers that a response must have if the contract names them. */
const ALWAYS = ["X-Request-Id", "WWW-Authenticate", "Retry-After", "Location", "Deprecation", "Sunset"];

/**
 * Fails the test if a REST response violates the contract: an undocumented status, a body that does not match its
 * schema, or a missing header that the contract promises. Paths outside the contract always pass.
 */
export function assertInContract(method: string, url: string, reply: Reply): void {
  const path = url.split("?")[0] ?? "";
  const template = path in paths ? path : TEMPLATES.find(([, pattern]) => pattern.test(path))?.[0];
  if (template === undefined || OTHERS.includes(path) || method === "HEAD" || method === "OPTIONS") return;
  const operations = paths[template] ?? {};
  const operation = operations[method.toLowerCase()];
  if (reply.status === 405 && (operation !== undefined || reply.headers.get("allow") === null)) {
    throw new Error(`${method} ${path}: 405 for a method that the path has, or without Allow`);
  }
  const response = responseOf(operation?.responses[reply.status]);
  if (operation !== undefined && response === undefined) {
    throw new Error(`${method} ${path}: the contract has no status ${reply.status}: ${reply.text}`);
  }
  const [type = ""] = (reply.headers.get("content-type") ?? "").split(";");
  const schema = response === undefined ? ANY_ERROR[type] : response.content?.[type]?.schema;
  if (schema === undefined && reply.text !== "") throw new Error(`${method} ${path}: a body: ${reply.text}`);
  const validate = validatorOf(schema ?? ANY_BODY);
  if (!validate(reply.body)) {
    throw new Error(`${method} ${path} ${reply.status}: ${ajv.errorsText(validate.errors)}: ${reply.text}`);
  }
  for (const name of Object.keys(response?.headers ?? {})) assertHeader(name, reply, `${method} ${path}`);
}

function assertHeader(name: string, { headers, status, body }: Reply, where: string): void {
  const value = headers.get(name);
  if (value === null) {
    // A 403 needs this header only for a missing scope, because only then could another token help.
    if (name === "WWW-Authenticate" && status === 403 && body.code !== "insufficient_scope") return;
    if (ALWAYS.includes(name)) throw new Error(`${where} ${status}: the header ${name} is missing`);
    return;
  }
  const validate = validatorOf(components.headers[name]?.schema ?? ANY_HEADER);
  if (!validate(value)) throw new Error(`${where} ${status}: ${name}: ${ajv.errorsText(validate.errors)}`);
}
