import assert from "node:assert";
import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from "graphql";
import { MUST_BE_INT64 } from "../common/int64";
import { checkOf, ruleOf } from "../common/json-schema";
import { hasItemsApart } from "../schema/items-apart";
import { isForModels } from "../schema/not-for-models";
import type { PathParameter, RestParameter, RestRoute } from "../schema/rest-route";
import type { Variable } from "./document";
import { IDEMPOTENCY_FIELD, jsonTypeOf, type Member, objectType, type Use } from "./json-types";
import { addProblem, type JsonType, type Location } from "./json-value";

export interface Body {
  json: JsonType;
  required: boolean;
  /** The variable for the whole body; undefined if each member has its own. */
  variable: string | undefined;
}

export interface IdempotencyKey {
  json: JsonType;
  required: boolean;
  /** The input variable that contains the idempotency key; undefined if the key has its own variable. */
  variable: string | undefined;
  /** The path reported in problems with the idempotency key. */
  path: string;
}

/** The variables of a document; each one takes its value from one part of the request. */
export class Variables {
  private readonly taken = new Set<string>();

  constructor(
    private readonly all: ReadonlyMap<string, Variable>,
    private readonly define: Use["define"],
  ) {}

  /** Claims a variable; throws an Error if it does not exist or is already claimed. */
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
      isForModels: target === undefined || isForModels(target),
      description: description ?? target?.description,
      default: variable.default,
    };
  }

  /** Returns the representation of an input field's value; `decode` returns an object with only that field. */
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

  /** Maps input objects to empty names, which removes them from problems' paths: `input.name` becomes `name`. */
  inputs(whole: string | undefined): Record<string, ""> {
    const paths = [...this.all.values()].map(({ path }) => path).filter((path) => path.includes("."));
    if (whole !== undefined) paths.push(this.pathOf(whole));
    return Object.fromEntries(paths.map((path) => [path.split(".")[0] as string, ""]));
  }

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

export function inPath(parameter: PathParameter, variables: Variables): Member {
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

/** Accepts any text, so that the resolver responds with 404 to malformed IDs as it does to unknown IDs. */
const decodeId = (value: unknown, location: Location) =>
  typeof value === "string" ? value : addProblem(location, "must be a string");

const decodeInt64Id = (value: unknown, location: Location) => {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : addProblem(location, MUST_BE_INT64);
};

export function inQuery(parameter: RestParameter, variables: Variables): Member {
  const type = variables.typeOf(parameter);
  const member = variables.member(parameter, { takesNull: false });
  const nullable = type && getNullableType(type);
  assert(
    isPlain(type) || (isListType(nullable) && isPlain(nullable.ofType)),
    `a query cannot carry ${parameter.name}`,
  );
  return member;
}

export function bodyOf(route: RestRoute, variables: Variables, define: Use["define"]): Body | undefined {
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
export function idempotencyKeyOf(
  { bodyVariable }: RestRoute,
  variables: Variables,
): IdempotencyKey | undefined {
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
