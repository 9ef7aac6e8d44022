import type { Logger } from "pino";
import type { Config } from "./config";
import { KEY_ENVIRONMENT } from "./credentials/token-format";
import type { Database } from "./database/database";
import { AgentResolver } from "./features/agents/agent.resolver";
import { AgentService } from "./features/agents/agent.service";
import { ApiKeyResolver } from "./features/api-keys/api-key.resolver";
import { ApiKeyService } from "./features/api-keys/api-key.service";
import { AuditResolver } from "./features/audit/audit.resolver";
import { AuditService } from "./features/audit/audit.service";
import { UsageResolver } from "./features/key-usage/usage.resolver";
import { UsageService } from "./features/key-usage/usage.service";
import { KeyUsage } from "./features/key-usage/usage-recorder";
import { MemberResolver } from "./features/members/member.resolver";
import { MemberService } from "./features/members/member.service";
import { SessionService } from "./features/members/session.service";
import { MessageResolver } from "./features/messages/message.resolver";
import { MessageService } from "./features/messages/message.service";
import { FirstStepsResolver } from "./features/organizations/first-steps.resolver";
import { FirstStepsService } from "./features/organizations/first-steps.service";
import { OrganizationResolver } from "./features/organizations/organization.resolver";
import { OrganizationService } from "./features/organizations/organization.service";
import { PetResolver } from "./features/pets/pet.resolver";
import { PetService } from "./features/pets/pet.service";
import { RefusedTokens } from "./rate-limits/refused-tokens";

/** What the server, the command line and the first start all work with. */
export type Services = ReturnType<typeof createServices>;

/** Makes the services on one database. */
export function createServices(
  database: Database,
  { environment, refusedKeysPerMinute }: Pick<Config, "environment" | "refusedKeysPerMinute">,
  log: Logger,
) {
  const usage = new KeyUsage(database, (err) => log.warn({ err }, "key usage could not be written"));
  const refused = new RefusedTokens(refusedKeysPerMinute);
  return {
    database,
    usage,
    keys: new ApiKeyService(database, usage, KEY_ENVIRONMENT[environment], refused),
    agents: new AgentService(database),
    organizations: new OrganizationService(database),
    members: new MemberService(database),
    sessions: new SessionService(database, refused),
    audit: new AuditService(database),
    firstSteps: new FirstStepsService(database),
    keyUsage: new UsageService(database),
    pets: new PetService(database),
    messages: new MessageService(database),
  };
}

/** Makes the resolvers on the services. */
export const createResolvers = (services: Services): object[] => [
  new PetResolver(services.pets),
  new MessageResolver(services.messages),
  new ApiKeyResolver(services.keys, services.agents),
  new AgentResolver(services.agents),
  new MemberResolver(services.members, services.sessions),
  new OrganizationResolver(services.organizations),
  new AuditResolver(services.audit),
  new FirstStepsResolver(services.firstSteps),
  new UsageResolver(services.keyUsage),
];
