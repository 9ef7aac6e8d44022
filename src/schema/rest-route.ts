import type { ErrorCode } from "../errors";
import type { KeyKind } from "./access";
import type { Deprecation } from "./deprecation";

export type RestMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Status of a success response; a 204 has no body. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204;

/** A part of the HTTP request that becomes a GraphQL variable. */
export interface RestParameter {
  name: string;
  /** Name of the variable in the document. */
  variable: string;
  /** The field of the variable's input object to fill with this part; by default, the part fills the whole variable. */
  field?: string;
  /** Description in the documentation; defaults to the description of the argument or input field. */
  description?: string;
}

/** Returns parameters with the same names as their variables. */
export const named = (...names: readonly string[]): RestParameter[] =>
  names.map((name) => ({ name, variable: name }));

/** The parameters of a paginated list. */
export const PAGE: readonly RestParameter[] = [
  { name: "limit", variable: "first", description: "Max items per page, 1 to 100." },
  { name: "cursor", variable: "after" },
];

/** A path parameter. An ID in an invalid format cannot exist, so the response is 404, not 400. */
export interface PathParameter extends RestParameter {
  /** Format of the parameter, if it is an ID. */
  format?: "int64" | "uuid";
  example: string | number;
}

/** A success status that depends on the result. */
export interface ChosenStatus {
  oneOf: readonly SuccessStatus[];
  /** @param data value of the document's root field */
  choose: (data: Readonly<Record<string, unknown>>) => SuccessStatus;
}

/**
 * A REST operation: a fixed GraphQL document and the mapping of its variables and result to HTTP.
 * Features declare it next to the resolver that it calls; an invalid route fails at startup.
 */
export interface RestRoute {
  operationId: string;
  summary: string;
  /** Description in the documentation; defaults to the description of the root field. */
  description?: string;
  method: RestMethod;
  /** Parameters as `:name`, each declared in `pathParameters`. */
  path: `/${string}`;
  /** A single query or mutation with a single root field; the field's access rule applies. */
  document: string;
  /** The kinds of API keys that may call the route; only agent keys by default. */
  keys?: readonly KeyKind[];
  pathParameters?: readonly PathParameter[];
  queryParameters?: readonly RestParameter[];
  /** The variable that holds the whole JSON body. */
  bodyVariable?: string;
  /** Variables that are members of the JSON body; the alternative to `bodyVariable`. */
  bodyMembers?: readonly RestParameter[];
  /** 200 by default. */
  status?: SuccessStatus | ChosenStatus;
  /** Path of the response body in the data, the root field by default; null at this path becomes a 404. */
  result?: readonly string[];
  /** Path of a list's PageInfo in the data, which is sent as `Link: …; rel="next"`. */
  pageInfo?: readonly string[];
  /** The response header with the page's end cursor, from which clients can continue later. */
  endCursorHeader?: "Last-Event-ID";
  /** Returns the URL path of the created resource, for `Location`, given the response body. */
  location?: (created: Readonly<Record<string, unknown>>) => string;
  /** Error codes that the resolver can return, in addition to the codes implied by the route. */
  errors?: readonly ErrorCode[];
  deprecation?: Deprecation;
  /** True if a call can irreversibly delete or overwrite something; always assumed for DELETE. */
  destructive?: boolean;
  /** False if the route is only for programs and MCP has no tool for it; true by default. */
  isForModels?: boolean;
  /** True if a call makes the agent send messages to people. */
  reachesPeople?: boolean;
  /** The response to `Accept: text/event-stream`. */
  stream?: RestStream;
  /** Description of the success response in the documentation; by status if there are several. */
  answers: string | Readonly<Partial<Record<SuccessStatus, string>>>;
  example: { body?: unknown; answer?: unknown };
}

interface ListRoute extends Omit<RestRoute, "method" | "document" | "result" | "pageInfo"> {
  /** The root field, which is a connection. */
  field: string;
  /** The field's arguments other than `first` and `after`, with types, such as `tag: String, order: ListOrder`. */
  parameters?: string;
  /** The fields to select on each node. */
  node: string;
}

/** Returns a route that lists the nodes of a connection in pages, with query parameters named after the arguments. */
export function listRoute({ field, parameters = "", node, ...route }: ListRoute): RestRoute {
  const { operationId, pathParameters = [] } = route;
  const types = `first: Int, after: String, ${parameters}`;
  const names = [...types.matchAll(/(\w+):/g)].map(([, name = ""]) => name);
  const own = names.slice(2).filter((name) => !pathParameters.some(({ variable }) => variable === name));
  return {
    method: "GET",
    document: `query ${operationId}(${types.replace(/\w+:/g, "$$$&")}) {
      ${field}(${names.map((name) => `${name}: $${name}`).join(", ")}) {
        nodes { ${node} }
        pageInfo { hasNextPage endCursor }
      }
    }`,
    queryParameters: [...PAGE, ...named(...own)],
    result: [field, "nodes"],
    pageInfo: [field, "pageInfo"],
    ...route,
  };
}

/** The items of a list as Server-Sent Events, from a subscription. */
export interface RestStream {
  /** A single subscription with a single root field; the stream sends the field's items. */
  document: string;
  queryParameters: readonly RestParameter[];
  /** The variable set by the `Last-Event-ID` header, which takes precedence over a parameter for the same variable. */
  lastEventId: string;
  /** The member of an item that becomes the `id` of its server-sent event. */
  id: string;
  /** The member of an item that becomes the `event` of its server-sent event. */
  event: string;
  answers: string;
}

/** Returns the kinds of API keys that may call a route. */
export const keysOf = ({ keys = ["key"] }: RestRoute): readonly KeyKind[] => keys;

/** Returns the path of a route as in the documentation. */
export const documentedPath = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

/** Returns the name of a route, such as `GET /v1/pets/{petId}`. */
export const nameOfRoute = ({ method, path }: Pick<RestRoute, "method" | "path">): string =>
  `${method} ${documentedPath(path)}`;

/** The REST routes of a feature, one group in the documentation. */
export interface RouteGroup {
  tag: string;
  description: string;
  routes: readonly RestRoute[];
}
