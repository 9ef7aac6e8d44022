import { Extensions } from "type-graphql";

/** Marks an input field that only members may pass. REST omits it, because its callers are API keys. */
export const ForMembers = (): PropertyDecorator & MethodDecorator => Extensions({ forMembers: true });

/** True if an input field is marked with `@ForMembers`. */
export const isForMembers = ({ extensions }: { extensions: Readonly<Record<string, unknown>> }): boolean =>
  extensions.forMembers === true;
