import { feature } from "../../schema/feature";
import { Organization } from "./organization.entity";
import { OrganizationResolver } from "./organization.resolver";
import { organizationRoutes } from "./organization.routes";
import { OrganizationService } from "./organization.service";

/** Organizations, which own agents. A deactivated organization's keys do not resolve. */
export const organizations = feature({
  entities: [Organization],
  services: ({ database, lanes }) => ({ organizations: new OrganizationService(database, lanes) }),
  resolvers: (services) => [new OrganizationResolver(services.organizations)],
  routes: organizationRoutes,
});
