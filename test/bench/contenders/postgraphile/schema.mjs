import { context, SafeError, sideEffect } from "postgraphile/grafast";
import { extendSchema, gql, pgSmartTags, wrapPlans } from "postgraphile/utils";

const MAX_PAGE = 100;
const MAX_NAME = 200;
const STATUSES = ["available", "pending", "sold"];

/** Exposes only the `pet` table, for reads and inserts. */
export const onlyPets = pgSmartTags([
  { kind: "class", match: ({ relname }) => relname !== "pet", tags: { behavior: ["-*"] } },
  { kind: "class", match: ({ relname }) => relname === "pet", tags: { behavior: ["-update", "-delete"] } },
]);

/** Adds `whoami`, which returns the result of the key check. */
export const whoami = extendSchema(() => ({
  typeDefs: gql`
    type AgentInfo { id: ID! slug: String! name: String! }
    type OrganizationInfo { id: ID! slug: String! name: String! }
    type KeyInfo { id: ID! name: String! hint: String! createdAt: String! }
    type AgentIdentity { agent: AgentInfo! organization: OrganizationInfo! key: KeyInfo! }
    extend type Query { whoami: AgentIdentity! }
  `,
  objects: { Query: { plans: { whoami: () => context().get("caller") } } },
}));

/** Rejects the pages and pets that the product rejects. */
export const withChecks = wrapPlans({
  Query: {
    allPets(plan, _parent, args) {
      sideEffect(args.getRaw("first"), (first) => {
        if (first == null || first < 1 || first > MAX_PAGE)
          throw new SafeError("first must be from 1 to 100");
      });
      return plan();
    },
  },
  Mutation: {
    createPet(plan, _parent, args) {
      sideEffect(args.getRaw(["input", "pet"]), ({ name, status }) => {
        if (name.trim() === "" || name.length > MAX_NAME)
          throw new SafeError("name must have 1 to 200 characters");
        if (status != null && !STATUSES.includes(status)) throw new SafeError("status must be one of three");
      });
      return plan();
    },
  },
});
