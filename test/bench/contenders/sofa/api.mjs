import { restApi } from "../../apis.mjs";

/** The product's routes in SOFA's format, with the arguments and responses of the GraphQL schema. */
export const sofaApi = {
  request(operation) {
    const request = restApi.request(operation);
    if (operation.kind === "create") {
      return {
        ...request,
        body: { input: { ...operation.pet, categoryId: String(operation.pet.categoryId) } },
      };
    }
    if (operation.kind !== "list") return request;
    const path = request.path.replace("limit=", "first=").replace("cursor=", "after=");
    return { ...request, path, begins: '{"nodes":' };
  },
  answer(operation, { status, body }) {
    if (status >= 400 || operation.kind === "whoami") return { status, body };
    if (operation.kind !== "list") return { status, body: pet(body) };
    const { hasNextPage, endCursor } = body.pageInfo;
    return { status, body: body.nodes.map(pet), next: hasNextPage ? endCursor : undefined };
  },
};

const pet = ({ id, name, categoryId, status }) => ({
  id: Number(id),
  name,
  categoryId: Number(categoryId),
  ...(status && { status }),
});
