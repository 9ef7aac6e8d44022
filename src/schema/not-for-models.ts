import { Extensions } from "type-graphql";

/** Marks an input field that programs may pass, but models may not: no tool of a route takes it. */
export const NotForModels = (): PropertyDecorator & MethodDecorator => Extensions({ notForModels: true });

/** True unless an input field is marked with `@NotForModels`. */
export const isForModels = ({ extensions }: { extensions: Readonly<Record<string, unknown>> }): boolean =>
  extensions.notForModels !== true;
