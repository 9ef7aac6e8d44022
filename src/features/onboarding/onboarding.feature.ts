import { feature } from "../../schema/feature";
import { FirstStepsResolver } from "./first-steps.resolver";
import { FirstStepsService } from "./first-steps.service";

/** Onboarding progress of organizations. */
export const onboarding = feature({
  entities: [],
  services: ({ database }) => ({ firstSteps: new FirstStepsService(database) }),
  resolvers: (services) => [new FirstStepsResolver(services.firstSteps)],
});
