// Mercurius on Fastify with its compiler, which compiles a document on its second run, and raw SQL.
import fastify from "fastify";
import mercurius from "mercurius";
import { callerOf, Refusal } from "../raw/caller.mjs";
import { resolversOf, typeDefs } from "../raw/graphql.mjs";
import { announce } from "../raw/listening.mjs";
import { doSameWork, sameWork } from "../raw/same-work.mjs";
import { openStore } from "../raw/store.mjs";

const store = openStore(process.env.DATABASE_URL);
const app = fastify(sameWork);
const finishWork = sameWork && doSameWork(app, store);

app.decorateRequest("caller", null);
// The error is sent here, because Mercurius would respond to a thrown error with 200.
app.addHook("onRequest", async (request, reply) => {
  try {
    request.caller = await callerOf(store, request.headers.authorization);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return reply.code(error.statusCode).send(error.body);
  }
});
app.register(mercurius, {
  schema: typeDefs,
  resolvers: resolversOf(store),
  context: ({ caller }) => ({ caller }),
  jit: 1,
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
announce(app.server, () =>
  app
    .close()
    .then(finishWork)
    .then(() => store.close()),
);
