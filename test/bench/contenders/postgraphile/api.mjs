import { graphqlApi } from "../../apis.mjs";
import { encodeCursor } from "../raw/cursor.mjs";

const FIELDS = "id: rowId name categoryId status";
const PAGE = `{ nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } }`;
const DOCUMENTS = {
  list: `query Pets($first: Int, $after: Cursor, $condition: PetCondition) {
  pets: allPets(first: $first, after: $after, condition: $condition) ${PAGE}
}`,
  pet: `query Pet($id: BigInt!) { pet: petByRowId(rowId: $id) { ${FIELDS} } }`,
  create: `mutation Create($pet: PetInput!) { createPet(input: { pet: $pet }) { pet { ${FIELDS} } } }`,
};

// PostGraphile's abbreviation in cursors for primary-key order.
const ORDER = "71d9eca878";

const toCursor = (id) => Buffer.from(JSON.stringify([ORDER, String(id)])).toString("base64");
const idOf = (cursor) => JSON.parse(Buffer.from(cursor, "base64"))[1];

/** The product's GraphQL schema, as derived from the tables by PostGraphile. */
export const postgraphileApi = {
  request(operation) {
    const request = graphqlApi.request(operation);
    const query = DOCUMENTS[operation.kind];
    switch (operation.kind) {
      case "list":
        if (operation.noise !== undefined) return { ...request, body: { query: literally(operation) } };
        return { ...request, body: { query, variables: listVariables(operation) } };
      case "create":
        return { ...request, body: { query, variables: { pet: request.body.variables.input } } };
      case "pet":
        return { ...request, body: { ...request.body, query } };
      default:
        return request;
    }
  },
  answer(operation, response) {
    const { status, body } = graphqlApi.answer(operation, response);
    if (body.data?.createPet) return { status, body: { data: { createPet: body.data.createPet.pet } } };
    if (!body.data?.pets) return { status, body };
    const { nodes, pageInfo } = body.data.pets;
    const { endCursor } = pageInfo;
    const translated = { ...pageInfo, endCursor: endCursor && encodeCursor(idOf(endCursor)) };
    return { status, body: { data: { pets: { nodes, pageInfo: translated } } } };
  },
};

const listVariables = ({ limit, after, status }) => ({
  first: limit,
  ...(after !== undefined && { after: toCursor(after) }),
  ...(status && { condition: { status } }),
});

/** Returns a document with literal arguments and with names that no other request uses. */
function literally({ limit, after, status, noise }) {
  const args = [`first: ${limit}`];
  if (after !== undefined) args.push(`after: "${toCursor(after)}"`);
  if (status) args.push(`condition: { status: "${status}" }`);
  return `query Pets${noise} {
  p${noise}: allPets(${args.join(", ")}) ${PAGE}
}`;
}
