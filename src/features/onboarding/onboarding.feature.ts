import { feature } from "../../schema/feature";
import { OnboardingResolver } from "./onboarding.resolver";
import { OnboardingService } from "./onboarding.service";

/** Onboarding progress of organizations. */
export const onboarding = feature({
  entities: [],
  services: ({ database }) => ({ onboarding: new OnboardingService(database) }),
  resolvers: (services) => [new OnboardingResolver(services.onboarding)],
});
