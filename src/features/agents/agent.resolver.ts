import { Ctx, FieldResolver, GraphQLISODateTime, Mutation, Query, Resolver, Root } from "type-graphql";
import type { CallerOrganization } from "../../auth/caller";
import { callerOrganization, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import type { Timestamp } from "../../common/time";
import { Access } from "../../schema/access";
import { AtMost } from "../../schema/list-size";
import { Input } from "../../schema/mutation-input";
import { Organization } from "../organizations/organization.entity";
import { Agent } from "./agent.entity";
import { CreateAgentInput, DeleteAgentInput, RenameAgentInput } from "./agent.inputs";
import { MAX_AGENTS } from "./agent.limits";
import { AgentService } from "./agent.service";
import { AgentPurge } from "./agent-purge";

const MANAGERS = { member: Permission.config_manage, organizationKey: "agents:manage" } as const;

@Resolver(() => Agent)
export class AgentResolver {
  constructor(
    private readonly service: AgentService,
    private readonly purge: AgentPurge,
  ) {}

  @Access({ member: true, organizationKey: true })
  @AtMost(MAX_AGENTS)
  @Query(() => [Agent], { description: "The organization's agents." })
  agents(@Ctx() context: RequestContext): Promise<Agent[]> {
    return this.service.list(context);
  }

  @Access(MANAGERS)
  @Mutation(() => Agent, {
    description: "Creates an agent with a configuration and a local line, `main`, as its default line.",
  })
  createAgent(@Ctx() context: RequestContext, @Input() input: CreateAgentInput): Promise<Agent> {
    return this.service.create(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => Agent, { description: "Changes an agent's display name. The slug stays the same." })
  renameAgent(@Ctx() context: RequestContext, @Input() input: RenameAgentInput): Promise<Agent> {
    return this.service.rename(context, input);
  }

  @Access(MANAGERS)
  @Mutation(() => Agent, {
    description:
      "Deletes an agent that has no active keys, along with its lines, contacts, conversations, messages, configuration, decisions, events and webhook endpoints. A deleted agent is visible only through its revoked and expired keys. Deletion cannot be undone.",
  })
  async deleteAgent(@Ctx() context: RequestContext, @Input() { id }: DeleteAgentInput): Promise<Agent> {
    const deleted = await this.service.delete(context, id);
    this.purge.start(deleted);
    return deleted;
  }

  @FieldResolver(() => Organization, { description: "The organization that the agent belongs to." })
  organization(@Ctx() context: RequestContext): CallerOrganization {
    return callerOrganization(context);
  }

  @FieldResolver(() => GraphQLISODateTime, { description: "When the agent was created." })
  async createdAt(@Root() agent: Agent): Promise<Timestamp> {
    // The agent in a key's identity (`whoami`) lacks this field.
    return agent.createdAt ?? (await this.service.of({ agentId: agent.id })).createdAt;
  }
}
