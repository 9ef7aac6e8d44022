import type { FastifyRequest } from "fastify";
import { excerpt } from "../credentials/redact-tokens";
import { type InputProblem, InvalidInput } from "../errors";
import { IDEMPOTENCY_FIELD, IDEMPOTENCY_HEADER, type Member } from "./json-types";
import { addProblem, type Location } from "./json-value";
import type { RoutePlan } from "./plan";

/** A route's inputs by REST name; omitted inputs are undefined. */
export interface Inputs {
  path: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  idempotencyKey: unknown;
}

/** How an API passes a route's inputs: the source of the parameters and the name of the idempotency key. */
export interface InputForm {
  source: Location["source"];
  idempotencyKeyName: string;
}

const IN_REQUESTS: InputForm = { source: "text", idempotencyKeyName: IDEMPOTENCY_HEADER };

/**
 * Creates a function that converts a route's inputs to its document's variables.
 * @returns a function that throws InvalidInput with all problems in the path, query, idempotency key and
 *   body; problems with items in an `@ItemsApart` list are only collected
 */
export function variablesReader(
  { path, query, body, idempotencyKey }: RoutePlan,
  { source, idempotencyKeyName } = IN_REQUESTS,
) {
  const known = new Set(query.map(({ name }) => name));
  const bodySource = source === "text" ? "json" : source;

  return (inputs: Inputs, malformed?: Location["malformed"]): Record<string, unknown> => {
    const problems: InputProblem[] = [];
    const variables: Record<string, unknown> = {};
    const read = (from: Inputs["path"], { name, key, json, required }: Member) => {
      const value = from[name];
      const location: Location = { path: name, source, problems };
      if (value !== undefined) variables[key] = json.decode(value, location);
      else if (required) addProblem(location, "is required");
    };
    for (const member of path) read(inputs.path, member);
    for (const member of query) read(inputs.query, member);
    // Rejects unknown parameters, because a request with a misspelled filter would return everything.
    for (const name of Object.keys(inputs.query)) {
      if (!known.has(name))
        addProblem({ path: excerpt(name, 100) || "(no name)", source, problems }, "is not known");
    }
    const key = idempotencyKey && {
      [IDEMPOTENCY_FIELD]: readIdempotencyKey(inputs.idempotencyKey, idempotencyKey, {
        path: idempotencyKeyName,
        source,
        problems,
      }),
    };
    if (body !== undefined) {
      const location: Location = { path: "", source: bodySource, problems, malformed };
      const decoded = body.json.decode(inputs.body ?? {}, location);
      if (body.variable === undefined) Object.assign(variables, decoded);
      else if (idempotencyKey?.variable !== undefined)
        variables[body.variable] = { ...(decoded as object), ...key };
      else variables[body.variable] = decoded;
    }
    if (idempotencyKey && idempotencyKey.variable === undefined) Object.assign(variables, key);
    if (problems.length > 0) throw new InvalidInput(problems);
    return variables;
  };
}

function readIdempotencyKey(
  value: unknown,
  { json, required }: NonNullable<RoutePlan["idempotencyKey"]>,
  location: Location,
): unknown {
  if (value === undefined) return required ? addProblem(location, "is required") : undefined;
  return json.decode(value, location);
}

/** Returns the inputs of a request. */
export const inputsOf = (request: FastifyRequest): Inputs => ({
  path: request.params as Inputs["path"],
  query: request.query as Inputs["query"],
  body: hasBody(request) ? request.body : undefined,
  idempotencyKey: unquoted(request.headers["idempotency-key"]),
});

/** True if a request has a body or declares one. */
export const hasBody = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  headers["content-type"] !== undefined || !isEmpty(headers);

/** True if a request has no body or an empty one. */
export const isEmpty = (headers: FastifyRequest["headers"]): boolean =>
  headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0";

/** Accepts the key with or without quotes, because the draft requires them but most clients omit them. */
const unquoted = (header: string | string[] | undefined) =>
  header === undefined ? undefined : String(header).replace(/^"(.*)"$/, "$1");
