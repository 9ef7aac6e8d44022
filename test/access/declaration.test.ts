import "reflect-metadata";
import { Query, Resolver } from "type-graphql";
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
  expect(createSchema([new Declared()]).getQueryType()?.getFields()).toHaveProperty("declared");
  expect(() => createSchema([new Declared(), new Forgotten()])).toThrow("@Access: Query.forgotten.");
});
