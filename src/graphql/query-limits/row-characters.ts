import { type GraphQLField, getNamedType, isLeafType, isObjectType } from "graphql";
import { accessOf } from "../../schema/access";
import { charactersOf, declaredSizeOf, itemsOf } from "../../schema/list-size";

type Field = GraphQLField<unknown, unknown>;

/**
 * Returns the max characters of each object that a field or its list returns. All of an object's own text is
 * included, because its row is always read as a whole. Fields with an access rule are excluded, because they
 * return other objects.
 */
export function rowCharactersOf(field: Field | undefined): number {
  const type = field && getNamedType(field.type);
  if (!isObjectType(type)) return 0;
  const { nodes } = type.getFields();
  const row = nodes === undefined ? type : getNamedType(nodes.type);
  if (!isObjectType(row)) return 0;
  return Object.values(row.getFields())
    .filter((part) => accessOf(part) === undefined)
    .reduce((characters, part) => characters + charactersOfPart(part, row.name), 0);
}

function charactersOfPart(part: Field, parent: string): number {
  const declared = declaredSizeOf(part);
  if (declared !== undefined) return declared.characters;
  return isLeafType(getNamedType(part.type)) ? itemsOf(part, parent, undefined) * charactersOf(part) : 0;
}
