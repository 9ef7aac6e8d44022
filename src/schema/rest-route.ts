import type { ErrorCode } from "../errors";
import type { Deprecation } from "./deprecation";

export type RestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Status of a success; a 204 has no body. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204;

/** A part of the request that becomes a GraphQL variable. */
export interface RestParameter {
  /** Its name in REST. */
  name: string;
  /** Its name in the document. */
  variable: string;
}

/** A part of the path. An ID that has not its format exists nowhere, so it is answered 404, not 400. */
export interface PathParameter extends RestParameter {
  /** Of an ID. */
  format?: "int64" | "uuid";
  example: string | number;
}

/** A status that depends on what the document answered. */
export interface ChosenStatus {
  oneOf: readonly SuccessStatus[];
  /** @param data value of the document's root field */
  choose: (data: Readonly<Record<string, unknown>>) => SuccessStatus;
}

/**
 * One REST operation: a fixed document on the GraphQL schema, and how HTTP carries what goes in and comes out.
 * Features declare it beside the resolver that it calls; what cannot be served fails at start.
 */
export interface RestRoute {
  operationId: string;
  summary: string;
  /** For the documentation; the description of the root field when left out. */
  description?: string;
  method: RestMethod;
  /** Parameters as `:name`, each declared in `pathParameters`. */
  path: `/${string}`;
  /** One query or mutation with one root field, which also declares who may call. */
  document: string;
  pathParameters?: readonly PathParameter[];
  queryParameters?: readonly RestParameter[];
  /** The variable that holds the whole JSON body. */
  bodyVariable?: string;
  /** Members of a JSON object, each a variable: the other way to have a body. */
  bodyMembers?: readonly RestParameter[];
  status: SuccessStatus | ChosenStatus;
  /** Where in the data the body of the answer is; null there is a 404. */
  result: readonly string[];
  /** Where in the data the PageInfo of a list is, for `Link: …; rel="next"`. */
  pageInfo?: readonly string[];
  /** Path of what a 201 created, given the body of the answer, for `Location`. */
  location?: (created: Readonly<Record<string, unknown>>) => string;
  /** Codes that the resolver can answer beside those that follow from the shape of the route. */
  errors?: readonly ErrorCode[];
  deprecation?: Deprecation;
  /** What a success answers, for the documentation; by status where there are several. */
  answers: string | Readonly<Partial<Record<SuccessStatus, string>>>;
  example: { body?: unknown; answer?: unknown };
}

/** The REST routes of a feature, which the documentation shows together. */
export interface RouteGroup {
  tag: string;
  description: string;
  routes: readonly RestRoute[];
}
