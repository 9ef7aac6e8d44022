import { createPet, findPet, petsPage } from "./pets.mjs";

/** The part of the product's schema that is measured. */
export const typeDefs = `
  enum PetStatus { available pending sold }
  type Pet { id: ID! name: String! categoryId: ID! status: PetStatus }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type PetConnection { nodes: [Pet!]! pageInfo: PageInfo! }
  type Agent { id: ID! slug: String! name: String! }
  type Organization { id: ID! slug: String! name: String! }
  type ApiKeyIdentity { id: ID! name: String! hint: String! createdAt: String! }
  type AgentIdentity { agent: Agent! organization: Organization! key: ApiKeyIdentity! }
  input NewPet { name: String! categoryId: ID! status: PetStatus }
  type Query {
    whoami: AgentIdentity!
    pets(first: Int = 20, after: String, status: PetStatus): PetConnection!
    pet(id: ID!): Pet
  }
  type Mutation { createPet(input: NewPet!): Pet! }
`;

/** Resolvers of `typeDefs`. The context holds the caller's `identity`, checked before. */
export const resolversOf = (store) => ({
  Query: {
    whoami: (_root, _args, { identity }) => identity,
    pets: (_root, args) => petsPage(store, args),
    pet: (_root, { id }) => findPet(store, id),
  },
  Mutation: { createPet: (_root, { input }) => createPet(store, input) },
});
