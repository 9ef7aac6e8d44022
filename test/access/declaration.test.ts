import "reflect-metadata";
import { Query, Resolver } from "type-graphql";
import { createResolvers, type Services } from "../../src/features";
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
  const resolvers = createResolvers({} as Services);
  expect(
    createSchema([...resolvers, new Declared()])
      .getQueryType()
      ?.getFields(),
  ).toHaveProperty("declared");
  expect(() => createSchema([...resolvers, new Forgotten()])).toThrow("@Access: Query.forgotten.");
});
