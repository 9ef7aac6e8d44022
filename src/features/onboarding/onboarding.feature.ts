import { feature } from "../../schema/feature";
import { FirstStepsResolver } from "./first-steps.resolver";
import { FirstStepsService } from "./first-steps.service";

/** How far a new organization has come. */
export const onboarding = feature({
  entities: [],
  services: ({ database }) => ({ firstSteps: new FirstStepsService(database) }),
  resolvers: (services) => [new FirstStepsResolver(services.firstSteps)],
});
