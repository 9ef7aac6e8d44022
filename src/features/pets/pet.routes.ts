import type { Deprecation } from "../../schema/deprecation";
import { listRoute, type RouteGroup } from "../../schema/rest-route";

/** Deprecates reading a single pet, in all APIs. */
export const GET_PET_DEPRECATION: Deprecation = {
  since: new Date("2026-11-21T00:00:00Z"),
  sunset: new Date("2030-12-05T00:00:00Z"),
  successor: "/v1/pets",
  reason: "Removed on 5 December 2030. Use `pets` with a status filter.",
};

const REX = { id: 1, name: "Rex", categoryId: 1, status: "available" };

/** The petstore API. */
export const petRoutes: RouteGroup = {
  tag: "Pets",
  description: "The petstore, which is shared by all API keys.",
  routes: [
    listRoute({
      operationId: "listPets",
      summary: "List pets",
      path: "/v1/pets",
      field: "pets",
      parameters: "status: PetStatus",
      node: "id name categoryId status",
      answers: "One page of pets.",
      example: { answer: [REX] },
    }),
    {
      operationId: "createPet",
      summary: "Add a pet",
      method: "POST",
      path: "/v1/pets",
      document: `mutation createPet($input: CreatePetInput!) {
        createPet(input: $input) { id name categoryId status }
      }`,
      bodyVariable: "input",
      status: 201,
      location: ({ id }) => `/v1/pets/${id}`,
      answers: "The new pet with its ID.",
      example: { body: { name: "Rex", categoryId: 1, status: "available" }, answer: REX },
    },
    {
      operationId: "getPet",
      summary: "Get a pet",
      description: "One pet, or 404 if it does not exist.",
      method: "GET",
      path: "/v1/pets/:petId",
      document: `query getPet($id: ID!) {
        pet(id: $id) { id name categoryId status }
      }`,
      pathParameters: [{ name: "petId", variable: "id", format: "int64", example: 1 }],
      deprecation: GET_PET_DEPRECATION,
      answers: "The pet.",
      example: { answer: REX },
    },
  ],
};
