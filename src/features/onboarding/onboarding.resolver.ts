import { Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { OnboardingProgress, OnboardingService } from "./onboarding.service";

@Resolver(() => OnboardingProgress)
export class OnboardingResolver {
  constructor(private readonly service: OnboardingService) {}

  @Access({ member: true })
  @Query(() => OnboardingProgress, { description: "The organization's onboarding progress." })
  firstSteps(@Ctx() context: RequestContext): Promise<OnboardingProgress> {
    return this.service.progress(context);
  }
}
