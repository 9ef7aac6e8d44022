import { findBreakingChanges } from "graphql";

/**
 * A breaking change between two releases.
 * @typedef {{ coordinate: string, description: string, isNullability: boolean }} Break
 */

/** @returns {Break[]} the breaking changes of a GraphQL schema, by coordinates such as `Query.pets(first:)` */
export const graphqlBreaks = (before, after) =>
  findBreakingChanges(before, after)
    .filter(({ description }) => !description.startsWith("Standard scalar "))
    .map(({ type, description }) => ({
      coordinate: graphqlCoordinate(type, description),
      description,
      isNullability: changesOnlyNullability(description),
    }));

/** graphql-js puts the coordinate only into a sentence, such as "A required arg first on Query.pets was added." */
function graphqlCoordinate(type, description) {
  const find = (pattern) => pattern.exec(description)?.groups ?? {};
  const { name, owner } = find(
    /^A required \w+ (?<name>\w+) on (?:input type |directive )?(?<owner>[\w.]+) /,
  );
  if (owner) return type === "REQUIRED_ARG_ADDED" ? `${owner}(${name}:)` : `${owner}.${name}`;
  const { value, group } = find(/^(?<value>\w+) was removed from (?:enum|union) type (?<group>\w+)/);
  if (value) return `${group}.${value}`;
  const { field, argument } = find(/^(?<field>\S+) arg (?<argument>\w+) /);
  return field ? `${field}(${argument}:)` : description.split(" ")[0];
}

function changesOnlyNullability(description) {
  const [, before, after] = /changed type from (\S+) to (\S+)\.$/.exec(description) ?? [];
  return before?.replaceAll("!", "") === after?.replaceAll("!", "") && before !== undefined;
}

const RESOLVE = /^#\/components\/\w+\/(.*)$/;

/**
 * @returns the parameters and members of an OpenAPI document, by coordinates such as `POST /v1/pets request.name`;
 * descriptions, error responses and response headers are left out
 */
export function restContract(document) {
  const contract = {};
  const resolve = ({ $ref, ...rest }) => {
    const name = RESOLVE.exec($ref ?? "")?.[1];
    return name ? resolve({ ...document.components.schemas[name], ...rest }) : rest;
  };
  const visit = (schema, coordinate, isRequired) => {
    const { oneOf = [], ...own } = resolve(schema);
    const parts = (oneOf.length > 0 ? oneOf : [own]).map(resolve);
    const types = [...new Set(parts.flatMap(({ type }) => type ?? "any"))];
    const values = parts.flatMap((part) => part.enum ?? []).filter((value) => value !== null);
    contract[coordinate] = {
      type: types.filter((type) => type !== "null").join(),
      ...(types.includes("null") && { nullable: true }),
      ...(isRequired && { required: true }),
      ...(values.length > 0 && { values }),
    };
    for (const { items, properties = {}, required = [] } of parts) {
      if (items) visit(items, `${coordinate}[]`, true);
      for (const [name, each] of Object.entries(properties))
        visit(each, `${coordinate}.${name}`, required.includes(name));
    }
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters, requestBody, responses }] of Object.entries(methods)) {
      const operation = `${method.toUpperCase()} ${path}`;
      contract[operation] = {};
      for (const { name, schema, required } of parameters ?? [])
        visit(schema, `${operation} request?${name}`, required);
      const body = requestBody?.content["application/json"].schema;
      if (body) visit(body, `${operation} request`, requestBody.required);
      for (const [status, { content }] of Object.entries(responses)) {
        const result = status.startsWith("2") && content?.["application/json"]?.schema;
        if (result) visit(result, `${operation} response`, true);
      }
    }
  }
  return contract;
}

/**
 * @param before the `restContract` of a release
 * @param after the `restContract` of a later release
 * @returns {Break[]}
 */
export function restBreaks(before, after) {
  const breaks = [];
  const add = (coordinate, what, isNullability = false) =>
    breaks.push({ coordinate, description: `${coordinate} ${what}.`, isNullability });
  for (const [coordinate, old] of Object.entries(before)) {
    const now = after[coordinate];
    const isRequest = coordinate.includes(" request");
    if (!now) {
      // The parts of a removed operation or object add no information.
      const parent = parentOf(coordinate);
      if (parent === coordinate || parent in after) add(coordinate, "was removed");
      continue;
    }
    if (old.type !== now.type) add(coordinate, `changed type from ${old.type} to ${now.type}`);
    const [lenient, strict] = isRequest ? [old, now] : [now, old];
    if (lenient.nullable && !strict.nullable)
      add(coordinate, isRequest ? "rejects null" : "may be null", true);
    if (strict.required && !lenient.required) add(coordinate, isRequest ? "is required" : "may be absent");
    const removed =
      isRequest && now.values ? (old.values ?? ["other values"]).filter((v) => !now.values.includes(v)) : [];
    if (removed.length > 0) add(coordinate, `rejects ${removed.join(", ")}`);
  }
  for (const [coordinate, { required }] of Object.entries(after)) {
    const isNew = !(coordinate in before) && parentOf(coordinate) in before;
    if (isNew && required && coordinate.includes(" request")) add(coordinate, "is required and new");
  }
  return breaks;
}

/** @returns the coordinate that encloses a member or parameter; an operation's own coordinate */
const parentOf = (coordinate) =>
  coordinate.replace(/(?<= re.*)(?:\.[^.[]+|\[\])$| re(?:quest\?\S+|quest|sponse)$/, "");

/**
 * @param changelog text whose code spans name coordinates; `Query.*` names all fields whose type changed only in
 * nullability
 * @returns {Break[]} the breaks that the text does not name
 */
export function unnamedBreaks(breaks, changelog) {
  const names = [...changelog.matchAll(/`([^`]+)`/g)].map(([, name]) => name.replace(/\s+/g, " "));
  const patterns = names.filter((name) => /^\w.*\*/.test(name)).map(patternOf);
  return breaks.filter(
    ({ coordinate, isNullability }) =>
      !names.includes(coordinate) && !(isNullability && patterns.some((pattern) => pattern.test(coordinate))),
  );
}

const patternOf = (name) =>
  new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, (each) => (each === "*" ? "\\w+" : `\\${each}`))}$`);

/** @returns the section "What breaks" of the unreleased page, or an empty string */
export function whatBreaks(changelog) {
  const page = changelog.split(/^## /m).find((each) => /^.*\(unreleased\)$/m.test(each));
  return page?.split(/^### /m).find((section) => section.startsWith("What breaks")) ?? "";
}
