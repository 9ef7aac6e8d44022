// The baseline: only the REST API, written by hand with Fastify and prepared statements, without layers in between.
import fastify from "fastify";
import { callerOf, Refusal } from "../raw/caller.mjs";
import { decodeCursor, encodeCursor } from "../raw/cursor.mjs";
import { announce } from "../raw/listening.mjs";
import { doSameWork, sameWork } from "../raw/same-work.mjs";
import { openStore } from "../raw/store.mjs";

const STATUS = { type: "string", enum: ["available", "pending", "sold"] };
const PET = {
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    categoryId: { type: "integer" },
    status: STATUS,
  },
};
const NAMED = {
  type: "object",
  properties: { id: { type: "string" }, slug: { type: "string" }, name: { type: "string" } },
};
const KEY = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    hint: { type: "string" },
    createdAt: { type: "string" },
  },
};
const WHOAMI = { type: "object", properties: { agent: NAMED, organization: NAMED, key: KEY } };
const NEW_PET = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 200 },
    categoryId: { type: "integer" },
    status: STATUS,
  },
  required: ["name", "categoryId"],
  additionalProperties: false,
};
const PARAMETERS = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    cursor: { type: "string" },
    status: STATUS,
  },
  additionalProperties: false,
};

/** Omits a missing status. */
function present(pet) {
  if (pet.status === null) pet.status = undefined;
  return pet;
}

const store = openStore(process.env.DATABASE_URL);
const app = fastify(sameWork);
const finishWork = sameWork && doSameWork(app, store);

app.decorateRequest("caller", null);
app.addHook("onRequest", async (request) => {
  request.caller = await callerOf(store, request.headers.authorization);
});
app.setErrorHandler((error, _request, reply) => {
  const status = error.statusCode ?? 500;
  reply
    .code(status)
    .send(error instanceof Refusal ? error.body : { code: error.code, message: error.message, status });
});

app.get(
  "/v1/pets",
  { schema: { querystring: PARAMETERS, response: { 200: { type: "array", items: PET } } } },
  async ({ query }, reply) => {
    const { limit, cursor, status } = query;
    const after = cursor === undefined ? 0 : decodeCursor(cursor);
    if (after === undefined) throw new Refusal(400, "invalid_cursor", "There is no such cursor.");
    const pets = await store.pets(after, limit + 1, status);
    if (pets.length > limit) {
      pets.pop();
      const filter = status === undefined ? "" : `&status=${status}`;
      const next = encodeCursor(pets.at(-1).id);
      reply.header("link", `</v1/pets?limit=${limit}${filter}&cursor=${next}>; rel="next"`);
    }
    return pets.map(present);
  },
);

const ID = { type: "object", properties: { id: { type: "integer" } } };
const DEPRECATED = {
  deprecation: "@1795219200",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</v1/pets>; rel="successor-version", </docs#?route=get-/v1/pets/-petId->; rel="deprecation"; type="text/html"',
};

app.get("/v1/pets/:id", { schema: { params: ID, response: { 200: PET } } }, async ({ params }, reply) => {
  if (sameWork) reply.headers(DEPRECATED);
  const pet = await store.petById(params.id);
  if (pet === undefined) throw new Refusal(404, "not_found", "There is no such pet.");
  return present(pet);
});

app.post("/v1/pets", { schema: { body: NEW_PET, response: { 201: PET } } }, async ({ body }, reply) => {
  const id = await store.createPet(body);
  reply.code(201);
  if (sameWork) reply.header("location", `/v1/pets/${id}`);
  return { id, ...body };
});

app.get("/agent/whoami", { schema: { response: { 200: WHOAMI } } }, async ({ caller }) => caller);

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
announce(app.server, () =>
  app
    .close()
    .then(finishWork)
    .then(() => store.close()),
);
