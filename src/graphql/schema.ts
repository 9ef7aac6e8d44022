import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { buildSchemaSync } from "type-graphql";
import { AgentResolver } from "../agents/agent.resolver";
import { AuditResolver } from "../audit/audit.resolver";
import { ApiKeyResolver } from "../keys/api-key.resolver";
import { MemberResolver } from "../members/member.resolver";
import { MessageResolver } from "../messages/message.resolver";
import { FirstStepsResolver } from "../organizations/first-steps.resolver";
import { OrganizationResolver } from "../organizations/organization.resolver";
import { PetResolver } from "../pets/pet.resolver";
import { UsageResolver } from "../usage/usage.resolver";
import { validateInput } from "../validation/validate-input";
import { authChecker } from "./access";

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
