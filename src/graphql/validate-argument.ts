import { type GraphQLResolveInfo, getNamedType, isObjectType, Kind, type SelectionSetNode } from "graphql";
import type { ValidatorFn } from "type-graphql";
import { InvalidInput } from "../errors";
import { PageArgs } from "../pagination/connection";
import { isTotal } from "../pagination/total-count";
import { validateInput } from "../schema/validate-input";

/**
 * Validates an argument of a resolver, or the object of all its arguments, by the rules of its class. A list accepts
 * `first: 0` if only its total is selected.
 * @throws InvalidInput with paths that start with an argument's name
 */
export const validateArgument: ValidatorFn = (value, type, { info }) =>
  // Scalars have no rules, and most resolvers take only scalars, so a promise would delay them needlessly.
  typeof value === "object" && value !== null ? validateObject(value, type, info) : undefined;

async function validateObject(
  value: object,
  type: Parameters<ValidatorFn>[1],
  info: Parameters<ValidatorFn>[2]["info"],
): Promise<void> {
  try {
    const isOnlyCounted = value instanceof PageArgs && value.first === 0 && countsItems(info);
    await validateInput(
      isOnlyCounted ? Object.assign(Object.create(Object.getPrototypeOf(value)), value, { first: 1 }) : value,
    );
  } catch (error) {
    const { args = [] } = info.parentType.getFields()[info.fieldName] ?? {};
    const argument = args.find((each) => getNamedType(each.type).name === (type as { name?: string }).name);
    throw error instanceof InvalidInput && argument ? error.within(argument.name) : error;
  }
}

function countsItems({ fieldNodes, fragments, returnType }: GraphQLResolveInfo): boolean {
  const list = getNamedType(returnType);
  const selects = ({ selections }: SelectionSetNode): boolean =>
    selections.some((node) => {
      if (node.kind === Kind.FIELD) return isObjectType(list) && isTotal(list.getFields()[node.name.value]);
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
      return fragment !== undefined && selects(fragment.selectionSet);
    });
  return fieldNodes.some(({ selectionSet }) => selectionSet !== undefined && selects(selectionSet));
}
