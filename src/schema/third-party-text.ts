import {
  type GraphQLNamedOutputType,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { Extensions } from "type-graphql";

/** Marks a field that may contain text written by contacts or other systems; a model must not obey it. */
export const ThirdPartyText = (): MethodDecorator & PropertyDecorator =>
  Extensions({ isThirdPartyText: true });

/** True if a selection without fragments contains a field marked with `@ThirdPartyText`. */
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
