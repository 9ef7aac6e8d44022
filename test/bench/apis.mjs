import { crc32 } from "node:zlib";

// Converts operations to requests of an API, and reads the responses. An operation is one of
//   { kind: "list", limit, after?, status?, noise? }   after: ID of the pet before the page
//   { kind: "pet", id }   { kind: "whoami" }
//   { kind: "send" }
//   { kind: "decide", situation, contact, dryRun? }   contact: number of one of the agent's contacts
//   { kind: "create", pet: { name, categoryId, status }, idempotencyKey? }
// An API turns it into { method, path, body?, idempotencyKey? }, with the status and the start of the body of a
// successful response. It also converts the response to the product's format, so that contenders with other formats can
// be compared.

const cursorOf = (id) => {
  const position = `pet:${id}`;
  return Buffer.from(`${position}:${crc32(position).toString(36)}`).toString("base64url");
};

const fields = "id name categoryId status";

/** The product's REST routes. */
export const restApi = {
  request(operation) {
    switch (operation.kind) {
      case "list": {
        const query = new URLSearchParams({ limit: String(operation.limit) });
        if (operation.status) query.set("status", operation.status);
        if (operation.after !== undefined) query.set("cursor", cursorOf(operation.after));
        return { method: "GET", path: `/v1/pets?${query}`, status: 200, begins: "[" };
      }
      case "pet":
        return { method: "GET", path: `/v1/pets/${operation.id}`, status: 200, begins: '{"id":' };
      case "whoami":
        return { method: "GET", path: "/agent/whoami", status: 200, begins: '{"agent":' };
      case "send":
        return {
          method: "POST",
          path: "/messages",
          body: { message: "Hello" },
          status: 201,
          begins: '{"id":',
        };
      case "decide": {
        const { situation, contact, dryRun } = operation;
        return {
          method: "POST",
          path: "/agent/decisions",
          body: { situation, contact: { ref: `contact ${contact}` }, dryRun },
          status: dryRun ? 200 : 201,
          begins: dryRun ? "{" : '{"id":',
        };
      }
      case "create":
        return {
          method: "POST",
          path: "/v1/pets",
          body: operation.pet,
          idempotencyKey: operation.idempotencyKey,
          status: 201,
          begins: '{"id":',
        };
    }
  },
  answer: (_operation, { status, link, body }) => ({
    status,
    body,
    next: /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link ?? "")?.[1],
  }),
};

const DOCUMENTS = {
  list: `query Pets($first: Int, $after: String, $status: PetStatus) {
  pets(first: $first, after: $after, status: $status) { nodes { ${fields} } pageInfo { hasNextPage endCursor } }
}`,
  pet: `query Pet($id: ID!) { pet(id: $id) { ${fields} } }`,
  whoami:
    "query Whoami { whoami { agent { id slug name } organization { id slug name } key { id name hint createdAt } } }",
  create: `mutation Create($input: CreatePetInput!) { createPet(input: $input) { ${fields} } }`,
};

/** The product's GraphQL schema. */
export const graphqlApi = {
  request(operation) {
    const post = (body) => ({ method: "POST", path: "/graphql", body, status: 200, begins: '{"data":{"' });
    const query = DOCUMENTS[operation.kind];
    switch (operation.kind) {
      case "list": {
        const { limit, after, status, noise } = operation;
        if (noise !== undefined) return post({ query: literally(operation) });
        const variables = { first: limit, ...(status && { status }) };
        if (after !== undefined) variables.after = cursorOf(after);
        return post({ query, variables });
      }
      case "pet":
        return post({ query, variables: { id: String(operation.id) } });
      case "whoami":
        return post({ query });
      case "create": {
        const { pet, idempotencyKey } = operation;
        return post({
          query,
          variables: { input: { ...pet, categoryId: String(pet.categoryId), idempotencyKey } },
        });
      }
    }
  },
  answer(operation, { status, body }) {
    if (operation.noise === undefined || body.data == null) return { status, body };
    const { [aliasOf(operation)]: pets, ...rest } = body.data;
    return { status, body: { ...body, data: { pets, ...rest } } };
  },
};

const aliasOf = ({ noise }) => `p${noise}`;

/** Returns a document with literal arguments and with names that no other request uses. */
function literally(operation) {
  const { limit, after, status, noise } = operation;
  const args = [`first: ${limit}`];
  if (after !== undefined) args.push(`after: "${cursorOf(after)}"`);
  if (status) args.push(`status: ${status}`);
  return `query Pets${noise} {
  ${aliasOf(operation)}: pets(${args.join(", ")}) { nodes { ${fields} } pageInfo { hasNextPage endCursor } }
}`;
}
