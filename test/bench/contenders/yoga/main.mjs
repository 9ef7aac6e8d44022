// GraphQL Yoga on node:http with its parse and validation caches, the compiling executor by the same authors, and raw
// SQL.
import { createServer } from "node:http";
import { useGraphQlJit } from "@envelop/graphql-jit";
import { createSchema, createYoga } from "graphql-yoga";
import { callerOf } from "../raw/caller.mjs";
import { resolversOf, typeDefs } from "../raw/graphql.mjs";
import { announce } from "../raw/listening.mjs";
import { openStore } from "../raw/store.mjs";

const store = openStore(process.env.DATABASE_URL);
const seen = new WeakSet();

/** True for a repeated document, because compiling costs more than a single execution saves. */
function isRepeated({ document }) {
  if (seen.has(document)) return true;
  seen.add(document);
  return false;
}

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers: resolversOf(store) }),
  context: async ({ req }) => ({ caller: await callerOf(store, req.headers.authorization) }),
  plugins: [useGraphQlJit({}, { enableIf: isRepeated })],
  cors: false,
  multipart: false,
  graphiql: false,
  landingPage: false,
  logging: false,
});

const server = createServer(yoga);
server.listen(Number(process.env.PORT), "127.0.0.1", () => announce(server, store.close));
