import { GET_PET_DEPRECATION } from "../pets/pet.deprecation";
import type { Deprecation } from "./deprecation";

/** A value of the request that becomes a GraphQL variable. */
interface Parameter {
  /** What REST calls it. */
  name: string;
  /** What GraphQL calls it. */
  variable: string;
}

/** One REST operation: a fixed document on the GraphQL schema, and how HTTP carries what goes in and comes out. */
export interface RestRoute {
  operationId: string;
  summary: string;
  tag: "Pets" | "Agent" | "Messages";
  method: "GET" | "POST";
  path: `/${string}`;
  /** One operation with one root field, which also declares who may call. */
  document: string;
  pathParameters?: readonly Parameter[];
  queryParameters?: readonly Parameter[];
  /** The variable that is filled from the JSON body, and with the Idempotency-Key header. */
  bodyVariable?: string;
  /** Status of a success. */
  status: 200 | 201;
  /** Where in the data the body of the answer is; nothing there is a 404. */
  result: readonly string[];
  /** Where in the data the PageInfo of a list is, for `Link: …; rel="next"`. */
  pageInfo?: readonly string[];
  /** Path of what was created, given the body of the answer, for `Location`. */
  location?: (created: Readonly<Record<string, unknown>>) => string;
  deprecation?: Deprecation;
  /** What a success answers, for the reader of the documentation. */
  answers: string;
  example: { body?: unknown; answer: unknown };
}

const REX = { id: 1, name: "Rex", categoryId: 1, status: "available" };

/** The whole REST door. */
export const ROUTES: readonly RestRoute[] = [
  {
    operationId: "listPets",
    summary: "List animals",
    tag: "Pets",
    method: "GET",
    path: "/v1/pets",
    document: `query listPets($first: Int, $after: String, $status: PetStatus) {
      pets(first: $first, after: $after, status: $status) {
        nodes { id name categoryId status }
        pageInfo { hasNextPage endCursor }
      }
    }`,
    queryParameters: [
      { name: "limit", variable: "first" },
      { name: "cursor", variable: "after" },
      { name: "status", variable: "status" },
    ],
    status: 200,
    result: ["pets", "nodes"],
    pageInfo: ["pets", "pageInfo"],
    answers: "One page of animals; `Link` leads to the next.",
    example: { answer: [REX] },
  },
  {
    operationId: "createPet",
    summary: "Add an animal",
    tag: "Pets",
    method: "POST",
    path: "/v1/pets",
    document: `mutation createPet($input: NewPet!) {
      createPet(input: $input) { id name categoryId status }
    }`,
    bodyVariable: "input",
    status: 201,
    result: ["createPet"],
    location: ({ id }) => `/v1/pets/${id}`,
    answers: "The animal, with its id.",
    example: { body: { name: "Rex", categoryId: 1, status: "available" }, answer: REX },
  },
  {
    operationId: "getPet",
    summary: "Get one animal",
    tag: "Pets",
    method: "GET",
    path: "/v1/pets/:petId",
    document: `query getPet($id: ID!) {
      pet(id: $id) { id name categoryId status }
    }`,
    pathParameters: [{ name: "petId", variable: "id" }],
    status: 200,
    result: ["pet"],
    deprecation: GET_PET_DEPRECATION,
    answers: "The animal.",
    example: { answer: REX },
  },
  {
    operationId: "whoami",
    summary: "Confirm that a key works and tell which agent it resolves to",
    tag: "Agent",
    method: "GET",
    path: "/agent/whoami",
    document: `query whoami {
      whoami {
        agent { id slug name }
        organization { id slug name }
        key { id name hint createdAt }
      }
    }`,
    status: 200,
    result: ["whoami"],
    answers: "The agent that the key resolves to, its organization, and the key itself.",
    example: {
      answer: {
        agent: { id: "01a1fcd2-254e-77bb-8319-2e26d1494ad2", slug: "first-agent", name: "First agent" },
        organization: {
          id: "01a1fcd2-254a-710b-bfb2-e21891ca2d51",
          slug: "first",
          name: "First organization",
        },
        key: {
          id: "01a1fcd2-2552-7717-b403-47e51492d93d",
          name: "First key",
          hint: "agk_dev_NMHsHkUwZKGz",
          createdAt: "2026-11-21T06:36:32.978Z",
        },
      },
    },
  },
  {
    operationId: "sendMessage",
    summary: "Queue a message for the agent",
    tag: "Messages",
    method: "POST",
    path: "/messages",
    document: `mutation sendMessage($input: NewMessage!) {
      sendMessage(input: $input) { id message status createdAt }
    }`,
    bodyVariable: "input",
    status: 201,
    result: ["sendMessage"],
    answers: "The message, queued.",
    example: {
      body: { message: "Hello" },
      answer: {
        id: "01a1fcd2-8c5c-76e1-b1ca-cdbe8ad941e6",
        message: "Hello",
        status: "queued",
        createdAt: "2026-11-21T06:36:59.356Z",
      },
    },
  },
];
