import type { GraphQLSchema } from "graphql";
import type { PubSub } from "type-graphql";

/** Options for a subscription whose method opens its stream; see `openByMethod`. */
export const OPENED_BY_METHOD = { subscribe: () => notOpened() } as const;

const notOpened = (): never => {
  throw new Error("The schema was built without openByMethod.");
};

/** TypeGraphQL requires a `PubSub` for subscriptions, although no subscription uses it. */
export const NO_PUB_SUB: PubSub = { publish: notOpened, subscribe: notOpened };

/**
 * Makes each subscription's method open its stream, so that arguments are validated only once; each item of the stream
 * becomes the field's value. By default, TypeGraphQL opens the stream outside the resolver and calls the method for
 * each item.
 */
export function openByMethod(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
    field.subscribe = field.resolve;
    field.resolve = (item) => item;
  }
}
