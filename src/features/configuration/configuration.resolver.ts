import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { Access } from "../../schema/access";
import { GraphQLJsonObject } from "../../schema/json-object";
import { Input } from "../../schema/mutation-input";
import {
  ConfigurationArgs,
  ConfigurationVersionsArgs,
  PublishConfigurationInput,
  SaveConfigurationDraftInput,
} from "./configuration.inputs";
import {
  Configuration,
  ConfigurationCheck,
  ConfigurationVersionConnection,
  SavedConfigurationDraft,
} from "./configuration.outputs";
import type { ConfigurationService } from "./configuration.service";
import { ConfigurationDraft } from "./configuration-draft.entity";
import { ConfigurationVersion } from "./configuration-version.entity";

const MANAGER = { member: Permission.config_manage, organizationKey: "configuration:publish" } as const;

@Resolver(() => Configuration)
export class ConfigurationResolver {
  constructor(private readonly service: ConfigurationService) {}

  @Access({ key: "agent:read", ...MANAGER })
  @Query(() => Configuration, {
    nullable: true,
    description: "An agent's live configuration or another version. Null if the version does not exist.",
  })
  configuration(
    @Ctx() context: RequestContext,
    @Args() { agentId, version }: ConfigurationArgs,
  ): Promise<Configuration | null> {
    return this.service.readBack(context, agentId, version);
  }

  @Access(MANAGER)
  @Query(() => ConfigurationVersionConnection, {
    description: "The published versions of an agent's configuration, newest first.",
  })
  configurationVersions(
    @Ctx() context: RequestContext,
    @Args() args: ConfigurationVersionsArgs,
  ): Promise<ConfigurationVersionConnection> {
    return this.service.versions(context, args);
  }

  @Access(MANAGER)
  @Query(() => ConfigurationDraft, {
    nullable: true,
    description: "An agent's configuration draft, or null if there is none.",
  })
  configurationDraft(
    @Ctx() context: RequestContext,
    @Arg("agentId", () => ID, { description: "ID of the agent." }) agentId: string,
  ): Promise<ConfigurationDraft | null> {
    return this.service.draft(context, agentId);
  }

  @Access(MANAGER)
  @Query(() => ConfigurationCheck, {
    description: "Checks whether a configuration document can be published, without saving it.",
  })
  checkConfiguration(
    @Ctx() context: RequestContext,
    @Arg("document", () => GraphQLJsonObject, { description: "The document." })
    document: Record<string, unknown>,
    @Arg("agentId", () => ID, {
      nullable: true,
      description:
        "ID of the agent. If omitted, there are no warnings about lines that are paused or missing.",
    })
    agentId?: string | null,
  ): Promise<ConfigurationCheck> {
    return this.service.check(context, document, agentId);
  }

  @Access(MANAGER)
  @Mutation(() => SavedConfigurationDraft, {
    description: "Saves an agent's configuration draft and returns its problems.",
  })
  saveConfigurationDraft(
    @Ctx() context: RequestContext,
    @Input() input: SaveConfigurationDraftInput,
  ): Promise<SavedConfigurationDraft> {
    const { agentId, document, expectedRevision, expectedBasedOn } = input;
    return this.service.saveDraft(context, agentId, document, expectedRevision, expectedBasedOn);
  }

  @Access(MANAGER)
  @Mutation(() => ConfigurationVersion, {
    description:
      "Publishes and deletes an agent's configuration draft, or publishes a document or an earlier version. The new version takes effect with the next decision.",
  })
  publishConfiguration(
    @Ctx() context: RequestContext,
    @Input() input: PublishConfigurationInput,
  ): Promise<ConfigurationVersion> {
    return this.service.publish(context, input);
  }
}
