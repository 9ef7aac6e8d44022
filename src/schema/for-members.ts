import { Extensions } from "type-graphql";

/** Marks an input field that only members may pass. REST, whose callers are API keys, leaves it out. */
export const ForMembers = (): PropertyDecorator & MethodDecorator => Extensions({ forMembers: true });

/** True if an input field is marked with `@ForMembers`. */
export const isForMembers = ({ extensions }: { extensions: Readonly<Record<string, unknown>> }): boolean =>
  extensions.forMembers === true;
