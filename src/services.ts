import type { Logger } from "pino";
import { AgentResolver } from "./agents/agent.resolver";
import { AgentService } from "./agents/agent.service";
import { AuditResolver } from "./audit/audit.resolver";
import { AuditService } from "./audit/audit.service";
import type { Config } from "./config";
import type { Database } from "./database/database";
import { ApiKeyResolver } from "./keys/api-key.resolver";
import { ApiKeyService } from "./keys/api-key.service";
import { KEY_ENVIRONMENT } from "./keys/key-format";
import { KeyUsage } from "./keys/key-usage";
import { RefusedTokens } from "./limits/refused-tokens";
import { MemberResolver } from "./members/member.resolver";
import { MemberService } from "./members/member.service";
import { SessionService } from "./members/session.service";
import { MessageResolver } from "./messages/message.resolver";
import { MessageService } from "./messages/message.service";
import { FirstStepsResolver } from "./organizations/first-steps.resolver";
import { FirstStepsService } from "./organizations/first-steps.service";
import { OrganizationResolver } from "./organizations/organization.resolver";
import { OrganizationService } from "./organizations/organization.service";
import { PetResolver } from "./pets/pet.resolver";
import { PetService } from "./pets/pet.service";
import { UsageResolver } from "./usage/usage.resolver";
import { UsageService } from "./usage/usage.service";

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
