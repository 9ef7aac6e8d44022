import {
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  Kind,
  parse,
  print,
} from "graphql";
import { createSchema } from "../../src/graphql/schema";
import { accessOf } from "../../src/schema/access";
import { PASSKEY_ORIGIN } from "../support/passkeys";
import { codesOf } from "../support/rejections";
import { describeGateway } from "../support/suite";
import { type AccessFixture, accessFixture, CALLERS } from "./callers";
import { FIELDS } from "./table";

const schema = createSchema();

/** Error codes for a link that requires more rights than the mutation itself. */
const DENIED = new Set(["forbidden", "insufficient_scope"]);

/** Max depth of a selection. */
const LEVELS = 4;

/** Max depth of links between objects. */
const LINKED_LEVELS = 1;

/**
 * Returns a selection of all fields of a type that need no arguments; undefined if there are none within the max depth.
 * For objects with their own access rule, and for types that enclose the field, it contains only the ID, if any, or the
 * first page of IDs.
 */
function everyFieldOf(
  type: GraphQLObjectType,
  around: readonly GraphQLObjectType[] = [],
): string | undefined {
  const enclosing = [...around, type];
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const { name } = field;
    if (field.args.some(isRequiredArgument)) return [];
    const below = getNamedType(field.type);
    if (!isObjectType(below)) return [name];
    if (accessOf(field) !== undefined || enclosing.includes(below)) {
      if (around.length > LINKED_LEVELS) return [];
      if (below.name.endsWith("Connection")) return [`${name}(first: 1) { nodes { id } }`];
      return [`${name} { ${"id" in below.getFields() ? "id" : "__typename"} }`];
    }
    const selection = enclosing.length < LEVELS ? everyFieldOf(below, enclosing) : undefined;
    return selection === undefined ? [] : [`${name} ${selection}`];
  });
  return fields.length === 0 ? undefined : `{ ${fields.join(" ")} }`;
}

/** Returns a document that calls one field and selects every field of its result. */
function selectingAll(text: string): string {
  const { definitions } = parse(text);
  const [operation] = definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(text);
  const [field] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD) throw new Error(text);
  const { selectionSet: _, ...call } = field;
  const type = getNamedType(schema.getRootType(operation.operation)?.getFields()[field.name.value]?.type);
  const selection = isObjectType(type) ? everyFieldOf(type) : "";
  const variables = operation.variableDefinitions?.map(print).join(", ");
  return `${operation.operation} ${variables ? `(${variables})` : ""} { ${print(call)} ${selection} }`;
}

describeGateway({ engine: "any", env: { PUBLIC_URL: PASSKEY_ORIGIN } }, (gateway) => {
  let fixture: AccessFixture;
  beforeAll(async () => {
    fixture = await accessFixture(gateway);
  });

  test.each(Object.entries(FIELDS).filter(([coordinate]) => coordinate.startsWith("Mutation.")))(
    "the result of %s has every field that the schema promises",
    async (_, { document, outcomes, variables }) => {
      const caller = CALLERS.find((each) => outcomes[each] === "ok") ?? "anonymous";
      const reply = await gateway.graphql(selectingAll(document), await variables?.(fixture, caller), {
        token: fixture.tokenOf(caller),
      });
      await fixture.restore(caller);
      const faults = codesOf(reply).filter((code) => !DENIED.has(code));
      expect({ status: reply.status, faults }).toEqual({ status: 200, faults: [] });
    },
  );
});
