import { makePgService } from "postgraphile/adaptors/pg";
import { SafeError } from "postgraphile/grafast";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { callerOf } from "../raw/caller.mjs";
import { onlyPets, whoami, withChecks } from "./schema.mjs";

/** Admits callers with a valid key. Each request reads the key from the database before the document is parsed. */
const keyCheck = (store) => ({
  name: "KeyCheckPlugin",
  version: "1.0.0",
  grafserv: {
    middleware: {
      async processGraphQLRequestBody(next, { request }) {
        const { node } = request.requestContext;
        try {
          node.req.caller = await callerOf(store, node.req.headers.authorization);
        } catch ({ statusCode, message, extensions }) {
          throw new SafeError(message, { statusCode, code: extensions?.code });
        }
        return next();
      },
    },
  },
});

/** Configures PostGraphile for the table of pets, without `pgSettings`, so that queries need no transaction. */
export const presetOf = (connectionString, store) => ({
  extends: [PostGraphileAmberPreset],
  plugins: [keyCheck(store), onlyPets, whoami, withChecks],
  pgServices: [makePgService({ connectionString, schemas: ["public"], poolConfig: { max: 10 } })],
  grafast: { context: ({ node }) => ({ caller: node?.req.caller }), explain: false },
  grafserv: { graphiql: false, websockets: false, watch: false },
});
