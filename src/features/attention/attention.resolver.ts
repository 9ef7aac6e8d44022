import { Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Report } from "../../schema/report";
import { AttentionService } from "./attention.service";
import { AttentionItem, AttentionKind, MAX_OF_KIND } from "./attention.types";

@Resolver(() => AttentionItem)
export class AttentionResolver {
  constructor(private readonly service: AttentionService) {}

  @Access({ member: true, organizationKey: true })
  @AtMost(MAX_OF_KIND * Object.keys(AttentionKind).length)
  @Report()
  @Query(() => [AttentionItem], {
    description: `Problems and tasks that need a person's attention in the organization, most urgent first, at most ${MAX_OF_KIND} items of each kind. Members see only items that their permissions allow, and organization keys see only items that their scopes allow.`,
  })
  attention(@Ctx() context: RequestContext): Promise<AttentionItem[]> {
    return this.service.list(context);
  }
}
