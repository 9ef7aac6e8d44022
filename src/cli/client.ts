import type { Services } from "../features";

/** Runs an operation for one organization, and returns its root field; throws the GatewayErrors of the API. */
export type Run = <T>(document: string, variables?: Readonly<Record<string, unknown>>) => Promise<T>;

/** The subject of a command, as typed by the user; determines the organization that an operator acts for. */
export interface Subject {
  org?: string | undefined;
  agent?: string | undefined;
  key?: string | undefined;
  member?: string | undefined;
  message?: string | undefined;
}

/** Runs operations on the database, as the operator, or on a server, with the user's key. */
export interface Client {
  /** @throws GatewayError `not_found` if there is no such subject */
  about(subject: Subject): Promise<Run>;
  /** The services, for operator work across organizations; undefined if the client uses a server. */
  readonly services?: Services;
}

/** Returns a query with one root field; its parameters, such as `agentId: ID, first: Int!`, are also the arguments. */
export function query(field: string, parameters: string, fields: string): string {
  const selection = `{ ${fields} }`;
  if (parameters === "") return `query { ${field} ${selection} }`;
  const variables = parameters.replace(/\w+:/g, "$$$&");
  const values = parameters.replace(/(\w+): [^,]+/g, "$1: $$$1");
  return `query (${variables}) { ${field}(${values}) ${selection} }`;
}

/** Returns the document of a mutation, whose input type is named after it. */
export const mutation = (field: string, fields: string): string =>
  `mutation ($input: ${field.charAt(0).toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${fields} } }`;
