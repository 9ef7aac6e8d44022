import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { buildSchemaSync } from "type-graphql";
import { authChecker } from "../auth/access";
import { validateInput } from "../common/validate-input";
import { AgentResolver } from "../features/agents/agent.resolver";
import { ApiKeyResolver } from "../features/api-keys/api-key.resolver";
import { AuditResolver } from "../features/audit/audit.resolver";
import { UsageResolver } from "../features/key-usage/usage.resolver";
import { MemberResolver } from "../features/members/member.resolver";
import { MessageResolver } from "../features/messages/message.resolver";
import { FirstStepsResolver } from "../features/organizations/first-steps.resolver";
import { OrganizationResolver } from "../features/organizations/organization.resolver";
import { PetResolver } from "../features/pets/pet.resolver";

/**
 * Builds the one schema that both doors run on.
 * @param resolvers the instances to run; none when only the form of the schema is wanted
 */
export function createSchema(resolvers: readonly object[] = []): GraphQLSchema {
  return buildSchemaSync({
    resolvers: [
      PetResolver,
      MessageResolver,
      ApiKeyResolver,
      AgentResolver,
      MemberResolver,
      OrganizationResolver,
      AuditResolver,
      FirstStepsResolver,
      UsageResolver,
    ],
    container: { get: (type) => resolvers.find((resolver) => resolver.constructor === type) },
    authChecker,
    validateFn: validateInput,
  });
}

/** The schema in GraphQL's definition language, sorted, as it is committed in schema.graphql. */
export const printSorted = (schema: GraphQLSchema): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`;
