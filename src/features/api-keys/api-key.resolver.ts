import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { keyCaller, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { NewestFirstPageArgs } from "../../pagination/connection";
import { Access } from "../../schema/access";
import { Input } from "../../schema/mutation-input";
import { Report } from "../../schema/report";
import { Agent } from "../agents/agent.entity";
import { AgentService } from "../agents/agent.service";
import { ApiKey } from "./api-key.entity";
import {
  ApiKeyConnection,
  ApiKeysArgs,
  CreateApiKeyInput,
  CreateOrganizationKeyInput,
  MintedApiKey,
  RevokeApiKeyInput,
  RotateApiKeyInput,
  UpdateApiKeyInput,
} from "./api-key.inputs";
import { ApiKeyService } from "./api-key.service";
import { AgentIdentity } from "./identity";

const MANAGERS = { member: Permission.config_manage, organizationKey: "keys:manage" } as const;

@Resolver(() => Agent)
export class AgentApiKeysResolver {
  constructor(private readonly keys: ApiKeyService) {}

  @Access(MANAGERS)
  @FieldResolver(() => ApiKeyConnection, { nullable: true, description: "The agent's API keys." })
  apiKeys(
    @Ctx() context: RequestContext,
    @Root() { id }: Agent,
    @Args() args: NewestFirstPageArgs,
  ): Promise<ApiKeyConnection> {
    return this.keys.ofAgent(context, id, args);
  }
}

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly agents: AgentService,
  ) {}

  @Access({ key: true, organizationKey: true })
  @Query(() => AgentIdentity, {
    description: "The agent or organization that the presented API key resolves to, and the key's identity.",
  })
  whoami(@Ctx() context: RequestContext): AgentIdentity {
    const { key, organization, ...caller } = keyCaller(context);
    return { agent: caller.kind === "agent" ? caller.agent : null, organization, key };
  }

  @Access(MANAGERS)
  @Report()
  @Query(() => ApiKeyConnection, { description: "The organization's API keys, newest first." })
  apiKeys(@Ctx() context: RequestContext, @Args() args: ApiKeysArgs): Promise<ApiKeyConnection> {
    return this.keys.list(context, args);
  }

  @Access(MANAGERS)
  @Query(() => ApiKey, {
    nullable: true,
    description: "One of the organization's API keys, or null if it does not exist.",
  })
  apiKey(
    @Ctx() context: RequestContext,
    @Arg("id", () => ID, { description: "ID of the key." }) id: string,
  ): Promise<ApiKey | null> {
    return this.keys.find(context, id);
  }

  @Access(MANAGERS, { recentSignIn: true })
  @Mutation(() => MintedApiKey, {
    description:
      "Mints an API key for an agent. Its secret is shown only in this response. Members need a recent sign-in.",
  })
  createApiKey(@Ctx() context: RequestContext, @Input() input: CreateApiKeyInput): Promise<MintedApiKey> {
    return this.keys.create(context, input);
  }

  @Access(MANAGERS, { recentSignIn: true })
  @Mutation(() => MintedApiKey, {
    description:
      "Mints an organization key. Its secret is shown only in this response. Members need a recent sign-in. An organization key can mint only keys with no more access than its own.",
  })
  createOrganizationKey(
    @Ctx() context: RequestContext,
    @Input() input: CreateOrganizationKeyInput,
  ): Promise<MintedApiKey> {
    return this.keys.createForOrganization(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => ApiKey, {
    description:
      "Changes the name or settings of an active API key, effective on the next request. Open streams from addresses that are no longer allowed are closed.",
  })
  updateApiKey(@Ctx() context: RequestContext, @Input() input: UpdateApiKeyInput): Promise<ApiKey> {
    return this.keys.update(context, input);
  }

  @Access(MANAGERS, { whileDeactivated: true })
  @Mutation(() => ApiKey, {
    description: "Revokes an API key, effective on the next request. Revoking a revoked key has no effect.",
  })
  revokeApiKey(
    @Ctx() context: RequestContext,
    @Input() { id, keepReplaced }: RevokeApiKeyInput,
  ): Promise<ApiKey> {
    return this.keys.revoke(context, id, undefined, { keepReplaced });
  }

  @Access(MANAGERS, { recentSignIn: true })
  @Mutation(() => MintedApiKey, {
    description:
      "Replaces an API key with a new one for the same agent or organization, with the same name, scopes and settings. The old key remains valid for the grace period. Members need a recent sign-in. An organization key can rotate only keys that it could have minted.",
  })
  rotateApiKey(@Ctx() context: RequestContext, @Input() input: RotateApiKeyInput): Promise<MintedApiKey> {
    return this.keys.rotate(context, input);
  }

  @FieldResolver(() => Agent, {
    nullable: true,
    description: "The agent that the key resolves to, or null for an organization key.",
  })
  agent(@Root() { agentId }: ApiKey): Promise<Agent> | null {
    return agentId === null ? null : this.agents.of({ agentId });
  }

  @FieldResolver(() => Boolean, {
    description:
      "True if the key is active, but was replaced by another key that is still in use. A replaced key expires soon and can no longer be changed or rotated.",
  })
  isReplaced(@Root() key: ApiKey): Promise<boolean> {
    return this.keys.isReplaced(key);
  }
}
