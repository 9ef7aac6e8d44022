import { Refusal } from "./caller.mjs";
import { decodeCursor, encodeCursor } from "./cursor.mjs";

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
  input CreatePetInput { name: String! categoryId: ID! status: PetStatus }
  type Query {
    whoami: AgentIdentity!
    pets(first: Int = 20, after: String, status: PetStatus): PetConnection!
    pet(id: ID!): Pet
  }
  type Mutation { createPet(input: CreatePetInput!): Pet! }
`;

/** Resolvers of `typeDefs`. Their context contains the authenticated `caller`. */
export const resolversOf = (store) => ({
  Query: {
    whoami: (_root, _args, { caller }) => caller,
    pets: (_root, args) => page(store, args),
    pet: async (_root, { id }) => (ID.test(id) ? ((await store.petById(Number(id))) ?? null) : null),
  },
  Mutation: { createPet: (_root, { input }) => create(store, input) },
});

const MAX_PAGE = 100;
const MAX_NAME = 200;
const ID = /^(0|-?[1-9]\d{0,15})$/;

const invalid = (message) => new Refusal(400, "invalid_request", message);

async function page(store, { first, after, status }) {
  const limit = first ?? 20;
  if (limit < 1 || limit > MAX_PAGE) throw invalid("first must be from 1 to 100");
  const start = after == null ? 0 : decodeCursor(after);
  if (start === undefined) throw new Refusal(400, "invalid_cursor", "There is no such cursor.");
  const nodes = await store.pets(start, limit + 1, status);
  const hasNextPage = nodes.length > limit;
  if (hasNextPage) nodes.pop();
  const last = nodes.at(-1);
  return { nodes, pageInfo: { hasNextPage, endCursor: last === undefined ? null : encodeCursor(last.id) } };
}

async function create(store, { name, categoryId, status = null }) {
  if (name.trim() === "" || name.length > MAX_NAME) throw invalid("name must have 1 to 200 characters");
  if (!ID.test(categoryId)) throw invalid("categoryId must be an integer");
  const pet = { name, categoryId: Number(categoryId), status };
  return { id: await store.createPet(pet), ...pet };
}
