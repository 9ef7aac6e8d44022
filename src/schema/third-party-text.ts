import {
  type GraphQLNamedOutputType,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { Extensions } from "type-graphql";

/** Marks a field that may hold text written by contacts or other systems, not instructions for a model. */
export const ThirdPartyText = (): MethodDecorator & PropertyDecorator =>
  Extensions({ isThirdPartyText: true });

/**
 * True if a selection has a field marked with `@ThirdPartyText`.
 * @param selectionSet has no fragments
 */
export function selectsThirdPartyText(
  type: GraphQLNamedOutputType,
  { selections }: SelectionSetNode,
): boolean {
  return selections.some((node) => {
    const field =
      node.kind === Kind.FIELD && isObjectType(type) ? type.getFields()[node.name.value] : undefined;
    if (field === undefined || node.kind !== Kind.FIELD) return false;
    if (field.extensions.isThirdPartyText === true) return true;
    return (
      node.selectionSet !== undefined && selectsThirdPartyText(getNamedType(field.type), node.selectionSet)
    );
  });
}
