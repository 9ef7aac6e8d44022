import "reflect-metadata";
import { type ClassType, Query, Resolver } from "type-graphql";
import { resolverClasses } from "../../src/features";
import { createSchema } from "../../src/graphql/schema";
import { Access } from "../../src/schema/access";

@Resolver()
class Declared {
  @Access("anyone")
  @Query(() => String)
  declared(): string {
    return "declared";
  }
}

@Resolver()
class Forgotten {
  @Query(() => String)
  forgotten(): string {
    return "forgotten";
  }
}

test("a root field that declares no access rule is in no schema", () => {
  const fieldsOf = (resolver: ClassType) =>
    createSchema([...resolverClasses(), resolver])
      .getQueryType()
      ?.getFields();
  expect(fieldsOf(Declared)).toHaveProperty("declared");
  expect(() => fieldsOf(Forgotten)).toThrow("@Access declaration: Query.forgotten.");
});
