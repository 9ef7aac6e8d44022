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
import { codesOf } from "../support/rejections";
import { describeGateway } from "../support/suite";
import { type AccessFixture, accessFixture, CALLERS } from "./callers";
import { FIELDS } from "./table";

const schema = createSchema();

/** How deep a selection reaches into a result. */
const LEVELS = 4;

/** Every field of a type that needs no argument; undefined if there is none above the last level. */
function everyFieldOf(type: GraphQLObjectType, levels = LEVELS): string | undefined {
  const fields = Object.values(type.getFields()).flatMap(({ name, args, type: fieldType }) => {
    if (args.some(isRequiredArgument)) return [];
    const below = getNamedType(fieldType);
    if (!isObjectType(below)) return [name];
    const selection = levels > 1 ? everyFieldOf(below, levels - 1) : undefined;
    return selection === undefined ? [] : [`${name} ${selection}`];
  });
  return fields.length === 0 ? undefined : `{ ${fields.join(" ")} }`;
}

/** A document of one field that selects every field of its result. */
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

describeGateway({ engine: "any" }, (gateway) => {
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
      expect({ status: reply.status, codes: codesOf(reply) }).toEqual({ status: 200, codes: [] });
    },
  );
});
