// SOFA on node:http: REST routes generated from a GraphQL schema, and raw SQL.
import { createServer } from "node:http";
import { makeExecutableSchema } from "@graphql-tools/schema";
import { useSofa } from "sofa-api";
import { callerOf, Refusal } from "../raw/caller.mjs";
import { resolversOf, typeDefs } from "../raw/graphql.mjs";
import { announce } from "../raw/listening.mjs";
import { openStore } from "../raw/store.mjs";

const store = openStore(process.env.DATABASE_URL);
const { Query, Mutation } = resolversOf(store);
const resolvers = {
  Query: {
    ...Query,
    async pet(...args) {
      const found = await Query.pet(...args);
      if (found === null) throw new Refusal(404, "not_found", "There is no such pet.");
      return found;
    },
  },
  Mutation,
};

const sofa = useSofa({
  basePath: "/",
  schema: makeExecutableSchema({ typeDefs, resolvers }),
  context: async ({ req }) => ({ caller: await callerOf(store, req.headers.authorization) }),
  routes: {
    "Query.pets": { method: "GET", path: "/v1/pets" },
    "Query.pet": { method: "GET", path: "/v1/pets/:id" },
    "Query.whoami": { method: "GET", path: "/agent/whoami" },
    "Mutation.createPet": { method: "POST", path: "/v1/pets", responseStatus: 201 },
  },
});

const server = createServer(sofa);
server.listen(Number(process.env.PORT), "127.0.0.1", () => announce(server, store.close));
