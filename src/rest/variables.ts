import type { FastifyRequest } from "fastify";
import { excerpt } from "../credentials/redact-tokens";
import { type InputProblem, InvalidInput } from "../errors";
import { IDEMPOTENCY_FIELD, type Member } from "./json-types";
import { addProblem, type Location } from "./json-value";
import type { RoutePlan } from "./plan";

/**
 * Creates a function that reads the variables of a route from a request.
 * @returns a function that throws InvalidInput with all problems in path, query, headers and body
 */
export function variablesReader({ path, query, body, idempotencyKey }: RoutePlan) {
  const known = new Set(query.map(({ name }) => name));

  return (request: FastifyRequest): Record<string, unknown> => {
    const problems: InputProblem[] = [];
    const variables: Record<string, unknown> = {};
    const read = (from: unknown, { name, key, json, required }: Member) => {
      const value = (from as Record<string, unknown>)[name];
      const location: Location = { path: name, source: "text", problems };
      if (value !== undefined) variables[key] = json.decode(value, location);
      else if (required) addProblem(location, "is required");
    };
    for (const member of path) read(request.params, member);
    for (const member of query) read(request.query, member);
    // Ignoring a misspelled filter would list everything.
    for (const name of Object.keys(request.query as object)) {
      if (!known.has(name))
        addProblem({ path: excerpt(name, 100) || "(no name)", source: "text", problems }, "is not known");
    }
    const key = idempotencyKey && {
      [IDEMPOTENCY_FIELD]: readIdempotencyKey(request, idempotencyKey, problems),
    };
    if (body !== undefined) {
      const location: Location = { path: "", source: "json", problems };
      const value = hasBody(request) ? request.body : {};
      const decoded =
        value === null ? addProblem(location, "is required") : body.json.decode(value, location);
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

/** Tells whether a request has a body or declares one. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers["content-type"] !== undefined ||
  headers["transfer-encoding"] !== undefined ||
  (headers["content-length"] ?? "0") !== "0";

/** Reads the key with or without quotes: the draft requires them, but most clients omit them. */
function readIdempotencyKey(
  { headers }: FastifyRequest,
  { json, required }: NonNullable<RoutePlan["idempotencyKey"]>,
  problems: InputProblem[],
): unknown {
  const header = headers["idempotency-key"];
  const location: Location = { path: "Idempotency-Key", source: "text", problems };
  if (header === undefined) return required ? addProblem(location, "is required") : undefined;
  return json.decode(String(header).replace(/^"(.*)"$/, "$1"), location);
}
