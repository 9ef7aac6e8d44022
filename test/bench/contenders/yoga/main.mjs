// GraphQL Yoga on node:http, with its parse and validation caches (on by default) and raw SQL.
import { createServer } from "node:http";
import { createSchema, createYoga } from "graphql-yoga";
import { callerOf } from "../raw/caller.mjs";
import { resolversOf, typeDefs } from "../raw/graphql.mjs";
import { announce } from "../raw/listening.mjs";
import { openStore } from "../raw/store.mjs";

const store = openStore(process.env.DATABASE_URL);

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers: resolversOf(store) }),
  context: async ({ req }) => ({ caller: await callerOf(store, req.headers.authorization) }),
  cors: false,
  multipart: false,
  graphiql: false,
  landingPage: false,
  logging: false,
});

const server = createServer(yoga);
server.listen(Number(process.env.PORT), "127.0.0.1", () => announce(server, store.close));
