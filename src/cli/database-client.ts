import { execute, type GraphQLSchema, type OperationDefinitionNode, parse } from "graphql";
import { operatorFor } from "../auth/context";
import { GatewayError } from "../errors";
import { resolversOf, type Services, stopFeatures } from "../features";
import type { Organization } from "../features/organizations/organization.entity";
import { toGatewayError } from "../graphql/errors";
import { assertVariables } from "../graphql/plugins/reject-invalid-variables";
import { createSchema } from "../graphql/schema";
import type { Client, Run, Subject } from "./client";
import { withServices } from "./services";

/** Runs `work` with a client that executes operations on the configured database, as the operator. */
export const withDatabaseClient = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
  withServices(async (services) => {
    let schema: GraphQLSchema | undefined;
    try {
      return await work({
        services,
        about: async (subject) => {
          const organization = await organizationOf(services, subject);
          schema ??= createSchema();
          return runner(schema, { ...operatorFor(organization), resolvers: resolversOf(services) });
        },
      });
    } finally {
      // Waits for background work that a mutation may have started.
      await stopFeatures(services);
    }
  });

const runner =
  (schema: GraphQLSchema, contextValue: object): Run =>
  async <T>(text: string, variables = {}) => {
    const document = parse(text);
    const variableValues = JSON.parse(JSON.stringify(variables));
    assertVariables(schema, document, document.definitions[0] as OperationDefinitionNode, variableValues);
    const { data, errors } = await execute({ schema, document, variableValues, contextValue });
    if (errors === undefined) return Object.values(data ?? {})[0] as T;
    const error = toGatewayError(errors[0]);
    throw error.code === "internal_error" ? error.cause : error;
  };

/** @throws GatewayError `not_found` */
async function organizationOf(services: Services, subject: Subject): Promise<Organization> {
  const { org, agent, key, member, message } = subject;
  if (org !== undefined) return services.organizations.bySlug(org);
  if (agent !== undefined) return (await services.agents.bySlug(agent)).organization;
  if (key !== undefined) return (await services.keys.byIdOrHint(key)).organization;
  if (member !== undefined) return (await services.members.byEmail(member)).organization;
  if (message !== undefined) return services.messages.organizationOf(message);
  throw new GatewayError("invalid_request", "--org <slug> is required.");
}
