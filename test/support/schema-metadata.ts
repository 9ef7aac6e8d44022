import { getMetadataStorage } from "type-graphql";

type Definition = { extensions?: unknown };
type Build = (this: unknown, definitions: Definition[], ...rest: unknown[]) => void;

// TypeGraphQL derives the metadata of all fields again for each schema, which takes a third of a gateway's start. The
// metadata does not change after the decorators have run, so the schemas of a suite share it.
const storage = Object.getPrototypeOf(getMetadataStorage()) as Record<string, Build>;
for (const name of ["buildResolversMetadata", "buildFieldResolverMetadata"]) {
  const build = storage[name] as Build;
  const built = new WeakSet<Definition>();
  storage[name] = function (definitions, ...rest) {
    build.call(
      this,
      definitions.filter((definition) => !built.has(definition)),
      ...rest,
    );
    for (const definition of definitions) built.add(definition);
  };
}
