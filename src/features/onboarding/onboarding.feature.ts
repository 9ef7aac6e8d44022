import { feature } from "../../schema/feature";
import { OnboardingResolver } from "./onboarding.resolver";
import { OnboardingService } from "./onboarding.service";

/** Organizations' onboarding progress. */
export const onboarding = feature({
  entities: [],
  services: ({ database }) => ({ onboarding: new OnboardingService(database) }),
  resolvers: (services) => [new OnboardingResolver(services.onboarding)],
});
