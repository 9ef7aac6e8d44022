import { feature } from "../../schema/feature";
import { FirstStepsResolver } from "./first-steps.resolver";
import { FirstStepsService } from "./first-steps.service";
import { Organization } from "./organization.entity";
import { OrganizationResolver } from "./organization.resolver";
import { OrganizationService } from "./organization.service";

/** Organizations, which own agents, and how far a new one has come. */
export const organizations = feature({
  entities: [Organization],
  services: ({ database }) => ({
    organizations: new OrganizationService(database),
    firstSteps: new FirstStepsService(database),
  }),
  resolvers: (services) => [
    new OrganizationResolver(services.organizations),
    new FirstStepsResolver(services.firstSteps),
  ],
});
