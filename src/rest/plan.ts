import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from "graphql";
import { MUST_BE_INT64 } from "../common/int64";
import { checkOf, type JsonSchemaRule, ruleOf } from "../common/json-schema";
import { hasItemsApart } from "../schema/items-apart";
import { boundsOf } from "../schema/list-size";
import type {
  PathParameter,
  RestParameter,
  RestRoute,
  RestStream,
  SuccessStatus,
} from "../schema/rest-route";
import { type FixedDocument, fixedDocument, selectedAt, type Variable, validateDocument } from "./document";
import {
  IDEMPOTENCY_FIELD,
  IDEMPOTENCY_HEADER,
  jsonTypeOf,
  type Member,
  objectType,
  type Use,
} from "./json-types";
import { addProblem, type JsonType, type Location } from "./json-value";

/** The inputs and outputs of a route, derived from its document and the schema at startup. */
export interface RoutePlan extends FixedDocument {
  route: RestRoute;
  path: readonly Member[];
  query: readonly Member[];
  body: Body | undefined;
  idempotencyKey: IdempotencyKey | undefined;
  statuses: readonly SuccessStatus[];
  /** The body of success responses; undefined if all of them are 204. */
  result: JsonType | undefined;
  /** True if the route's resource may be missing (404). */
  canBeMissing: boolean;
  /** REST names of arguments and input fields, by their paths in problems. */
  names: Readonly<Record<string, string>>;
}

export interface Body {
  json: JsonType;
  required: boolean;
  /** The variable for the whole body; undefined if each member has its own. */
  variable: string | undefined;
}

export interface IdempotencyKey {
  json: JsonType;
  required: boolean;
  /** The input variable that contains the key; undefined if the key has its own variable. */
  variable: string | undefined;
  /** Path of the key in problems. */
  path: string;
}

/**
 * Validates the documents of a route.
 * @throws Error with the name of the route if one of them is invalid
 */
export const validateRoute = (route: RestRoute, schema: GraphQLSchema): void =>
  servable(route, () => {
    validateDocument(route.document, schema);
    if (route.stream) validateDocument(route.stream.document, schema);
  });

/**
 * Derives the plan of a route.
 * @param route passes `validateRoute`
 * @param define names the schemas of named types, for the documentation
 * @throws Error with the name of the route if its declaration is invalid
 */
export const planOf = (route: RestRoute, schema: GraphQLSchema, define?: Use["define"]): RoutePlan =>
  servable(route, () => derive(route, fixedDocument(route.document, schema), define));

/**
 * Derives the plan of a route's stream, whose result is one item.
 * @throws Error with the name of the route if its declaration is invalid
 */
export const streamPlanOf = (
  { pageInfo: _, stream: __, ...route }: RestRoute,
  stream: RestStream,
  schema: GraphQLSchema,
): RoutePlan =>
  servable(route, () => {
    const fixed = fixedDocument(stream.document, schema, ["subscription"]);
    const { queryParameters } = stream;
    return derive({ ...route, queryParameters, result: [fixed.field.name] }, fixed, undefined);
  });

/**
 * Runs a build step of a route.
 * @throws Error with the name of the route if the step fails
 */
export function servable<T>({ operationId, method, path }: RestRoute, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const reason = (cause as Error).message.replace(/\.$/, "");
    throw new Error(`REST route ${operationId} (${method} ${path}) cannot be served: ${reason}.`, { cause });
  }
}

function derive(route: RestRoute, fixed: FixedDocument, define: Use["define"]): RoutePlan {
  const { pathParameters = [], queryParameters = [], bodyMembers = [] } = route;
  const statuses = typeof route.status === "number" ? [route.status] : route.status.oneOf;
  assertShape(route, fixed, statuses);
  const variables = new Variables(fixed.variables, define);
  const path = pathParameters.map((parameter) => inPath(parameter, variables));
  const query = queryParameters.map((parameter) => inQuery(parameter, variables));
  const body = bodyOf(route, variables, define);
  const idempotencyKey = idempotencyKeyOf(route, variables);
  variables.assertAllTaken();

  const parent = fixed.operation.selectionSet;
  const { field, type, selection } = selectedAt(fixed.root, parent, route.result);
  const first = [...fixed.variables.values()].find(({ target }) => target?.name === "first");
  const page = route.pageInfo && { maxItems: ruleOf(first?.target).maximum };
  if (route.pageInfo) {
    for (const name of ["hasNextPage", "endCursor"])
      selectedAt(fixed.root, parent, [...route.pageInfo, name]);
  }
  return {
    ...fixed,
    route,
    path,
    query,
    body,
    idempotencyKey,
    statuses,
    result: statuses.every((status) => status === 204)
      ? undefined
      : jsonTypeOf(type, { selection, define, rule: { ...boundsOf(field), ...page } as JsonSchemaRule }),
    canBeMissing: path.length > 0 || !isNonNullType(type),
    names: {
      // An input object's problems are reported as problems of the body itself.
      ...variables.inputs(route.bodyVariable),
      ...Object.fromEntries(
        [...pathParameters, ...queryParameters, ...bodyMembers].map(({ name, variable, field }) => [
          variables.pathOf(variable) + (field === undefined ? "" : `.${field}`),
          name,
        ]),
      ),
      ...(idempotencyKey && { [idempotencyKey.path]: IDEMPOTENCY_HEADER }),
    },
  };
}

function assertShape(
  route: RestRoute,
  { operation }: FixedDocument,
  statuses: readonly SuccessStatus[],
): void {
  const { method, path, pathParameters = [], bodyVariable, bodyMembers } = route;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  assert(
    inPath.join() === pathParameters.map(({ name }) => name).join(),
    "pathParameters must be the parameters of its path, in the same order",
  );
  assert(method !== "GET" || operation.operation !== "mutation", "a GET must not change anything");
  const hasBody = bodyVariable !== undefined || bodyMembers !== undefined;
  assert(!hasBody || !["GET", "DELETE"].includes(method), `a ${method} has no body`);
  assert(bodyVariable === undefined || bodyMembers === undefined, "its body is declared twice");
  assert(statuses.length > 0, "it has no status");
}

function assert(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** The variables of a document; each one takes its value from one part of the request. */
class Variables {
  private readonly taken = new Set<string>();

  constructor(
    private readonly all: ReadonlyMap<string, Variable>,
    private readonly define: Use["define"],
  ) {}

  /**
   * Claims a variable for a part of the request.
   * @throws Error if it does not exist or is already claimed
   */
  take(name: string): Variable {
    const variable = this.all.get(name);
    assert(variable !== undefined, `its document has no variable $${name}`);
    assert(!this.taken.has(name), `$${name} is filled twice`);
    this.taken.add(name);
    return variable;
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  jsonOf({ type, target }: Pick<Variable, "type" | "target">): JsonType {
    const itemsApart = target != null && hasItemsApart(target);
    return jsonTypeOf(type, {
      rule: ruleOf(target),
      check: checkOf(target),
      define: this.define,
      itemsApart,
    });
  }

  member(parameter: RestParameter, { takesNull }: { takesNull: boolean }): Member {
    const { name, variable: key, field, description } = parameter;
    const variable = this.take(key);
    const { type, target } = variable;
    return {
      name,
      key,
      json: field === undefined ? this.jsonOf(variable) : this.jsonOfField(variable, field),
      required: isNonNullType(type) && variable.default === undefined,
      takesNull: takesNull && !isNonNullType(type) && !isNonNullType(target?.type),
      description: description ?? target?.description,
      default: variable.default,
    };
  }

  /** Returns the representation of an input object with a single field, as the value of that field. */
  private jsonOfField({ type }: Variable, name: string): JsonType {
    const field = inputFieldOf(type, name);
    assert(field !== undefined, `${type} has no field ${name}`);
    const json = this.jsonOf({ type: field.type, target: field });
    return { ...json, decode: (value, location) => ({ [name]: json.decode(value, location) }) };
  }

  /** Returns the path of the argument or input field that a variable fills. */
  pathOf(variable: string): string {
    return this.all.get(variable)?.path ?? variable;
  }

  /** Maps arguments that are input objects, whether filled as a whole or field by field, to the empty name. */
  inputs(whole: string | undefined): Record<string, ""> {
    const paths = [...this.all.values()].map(({ path }) => path).filter((path) => path.includes("."));
    if (whole !== undefined) paths.push(this.pathOf(whole));
    return Object.fromEntries(paths.map((path) => [path.split(".")[0] as string, ""]));
  }

  /** Returns the type of a part of the request. */
  typeOf({ variable, field }: Pick<RestParameter, "variable" | "field">): GraphQLInputType | undefined {
    const type = this.all.get(variable)?.type;
    return field === undefined ? type : inputFieldOf(type, field)?.type;
  }

  assertAllTaken(): void {
    for (const name of this.all.keys()) assert(this.taken.has(name), `no part of the request fills $${name}`);
  }
}

/** Returns a field of an input object; undefined for other types and unknown fields. */
function inputFieldOf(type: GraphQLType | undefined, name: string): GraphQLInputField | undefined {
  const input = getNamedType(type);
  return isInputObjectType(input) ? input.getFields()[name] : undefined;
}

/** True if a URL can contain values of a type. */
const isPlain = (type: GraphQLType | undefined | null) =>
  type != null && isLeafType(getNullableType(type)) && !getNamedType(type).name.startsWith("JSON");

function inPath(parameter: PathParameter, variables: Variables): Member {
  const { name, format } = parameter;
  const type = variables.typeOf(parameter);
  const member = variables.member(parameter, { takesNull: false });
  assert(isPlain(type), `a path cannot carry ${name}`);
  if (format === undefined) return { ...member, required: true };
  assert(getNamedType(type)?.name === "ID", `only an ID has a format, and ${name} is not an ID`);
  const schema = { type: format === "int64" ? "integer" : "string", format };
  const decode = format === "int64" ? decodeInt64Id : decodeId;
  return { ...member, required: true, json: { ...member.json, schema, decode } };
}

/** Accepts any text, so that the resolver returns 404 for malformed IDs, as for unknown ones. */
const decodeId = (value: unknown, location: Location) =>
  typeof value === "string" ? value : addProblem(location, "must be a string");

const decodeInt64Id = (value: unknown, location: Location) => {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : addProblem(location, MUST_BE_INT64);
};

function inQuery(parameter: RestParameter, variables: Variables): Member {
  const type = variables.typeOf(parameter);
  const member = variables.member(parameter, { takesNull: false });
  const nullable = type && getNullableType(type);
  assert(
    isPlain(type) || (isListType(nullable) && isPlain(nullable.ofType)),
    `a query cannot carry ${parameter.name}`,
  );
  return member;
}

function bodyOf(route: RestRoute, variables: Variables, define: Use["define"]): Body | undefined {
  const { operationId, bodyVariable, bodyMembers } = route;
  if (bodyVariable !== undefined) {
    const variable = variables.take(bodyVariable);
    const required = isNonNullType(variable.type);
    return { json: variables.jsonOf(variable), required, variable: bodyVariable };
  }
  if (bodyMembers === undefined) return undefined;
  const members = bodyMembers.map((parameter) => variables.member(parameter, { takesNull: true }));
  const json = objectType(members);
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Input`;
  return {
    json: { ...json, schema: define?.(name, json.schema) ?? json.schema },
    required: members.some(({ required }) => required),
    variable: undefined,
  };
}

/** Maps the Idempotency-Key header to `$idempotencyKey` or the input field with that name. */
function idempotencyKeyOf({ bodyVariable }: RestRoute, variables: Variables): IdempotencyKey | undefined {
  if (variables.has(IDEMPOTENCY_FIELD)) {
    const { json, required } = variables.member(
      { name: IDEMPOTENCY_FIELD, variable: IDEMPOTENCY_FIELD },
      { takesNull: false },
    );
    const path = variables.pathOf(IDEMPOTENCY_FIELD);
    return { json, required, variable: undefined, path };
  }
  if (bodyVariable === undefined) return undefined;
  const field = inputFieldOf(variables.typeOf({ variable: bodyVariable }), IDEMPOTENCY_FIELD);
  if (field === undefined) return undefined;
  return {
    json: jsonTypeOf(field.type, { rule: ruleOf(field), check: checkOf(field) }),
    required: isNonNullType(field.type),
    variable: bodyVariable,
    path: `${variables.pathOf(bodyVariable)}.${IDEMPOTENCY_FIELD}`,
  };
}
