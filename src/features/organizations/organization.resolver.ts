import { Ctx, Mutation, Query, Resolver } from "type-graphql";
import type { CallerOrganization } from "../../auth/caller";
import { callerOrganization, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { Organization } from "./organization.entity";
import { RenameOrganizationInput } from "./organization.inputs";
import { OrganizationService } from "./organization.service";

@Resolver(() => Organization)
export class OrganizationResolver {
  constructor(private readonly organizations: OrganizationService) {}

  @Access({ member: true, organizationKey: true })
  @Query(() => Organization, { description: "The caller's organization." })
  organization(@Ctx() context: RequestContext): CallerOrganization {
    return callerOrganization(context);
  }

  @Access({ member: Permission.config_manage })
  @Mutation(() => Organization, {
    description: "Changes the display name of the caller's organization. Its slug stays the same.",
  })
  renameOrganization(
    @Ctx() context: RequestContext,
    @Input() input: RenameOrganizationInput,
  ): Promise<Organization> {
    return this.organizations.rename(context, input);
  }

  @Access({ member: Permission.config_manage }, { whileDeactivated: true })
  @Mutation(() => Organization, {
    description:
      "Deactivates the caller's organization. Its keys are rejected, starting with the next request.",
  })
  deactivateOrganization(@Ctx() context: RequestContext): Promise<Organization> {
    return this.organizations.deactivate(context);
  }

  @Access({ member: Permission.config_manage }, { whileDeactivated: true })
  @Mutation(() => Organization, {
    description: "Reactivates the caller's organization. Its keys are accepted again.",
  })
  reactivateOrganization(@Ctx() context: RequestContext): Promise<Organization> {
    return this.organizations.reactivate(context);
  }
}
