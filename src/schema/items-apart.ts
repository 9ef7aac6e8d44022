import { Extensions } from "type-graphql";

const lists = new WeakMap<object, ReadonlySet<string>>();

/**
 * Declares a list of input objects whose items are validated individually, so that an invalid item does not fail the
 * request. The resolver validates each item; `context.malformed` contains the problems that REST has already found.
 */
export const ItemsApart = (): PropertyDecorator => (target, property) => {
  const { constructor: type } = target;
  lists.set(type, new Set([...(lists.get(type) ?? []), String(property)]));
  Extensions({ itemsApart: true })(target, property);
};

/** True if a property of a class is marked with `@ItemsApart`. */
export const isApart = (type: object, property: string): boolean => lists.get(type)?.has(property) ?? false;

/** True if an input field is marked with `@ItemsApart`. */
export const hasItemsApart = ({ extensions }: { extensions: Readonly<Record<string, unknown>> }): boolean =>
  extensions.itemsApart === true;
