import { Args, Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Report } from "../../schema/report";
import { MAX_PER_KIND } from "./find.limits";
import type { FindService } from "./find.service";
import { FindArgs, Found, FoundKind } from "./find.types";

@Resolver(() => Found)
export class FindResolver {
  constructor(private readonly service: FindService) {}

  @Access({ member: true })
  @AtMost(MAX_PER_KIND * Object.keys(FoundKind).length)
  @Report()
  @Query(() => [Found], {
    description: `Finds the organization's resources that the member may read, at most ${MAX_PER_KIND} of each kind.`,
  })
  find(@Ctx() context: RequestContext, @Args() { text }: FindArgs): Promise<Found[]> {
    return this.service.find(context, text);
  }
}
