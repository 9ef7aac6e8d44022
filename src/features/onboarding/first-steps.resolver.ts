import { Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { FirstSteps } from "./first-steps";
import { FirstStepsService } from "./first-steps.service";

@Resolver(() => FirstSteps)
export class FirstStepsResolver {
  constructor(private readonly service: FirstStepsService) {}

  @Access({ member: true })
  @Query(() => FirstSteps, { description: "Onboarding progress of the caller's organization." })
  firstSteps(@Ctx() context: RequestContext): Promise<FirstSteps> {
    return this.service.of(context);
  }
}
