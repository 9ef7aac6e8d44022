import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { rowByKey } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, noSuch } from "../../errors";
import { once } from "../../idempotency/idempotency";
import { type Connection, type PageArgs, pageInfoOf, paginate } from "../../pagination/connection";
import { decodeCursor, encodeCursor } from "../../pagination/cursor";
import type { HookRegistry } from "../../schema/hooks";
import { actorOf, recordAudit } from "../audit/audit";
import { Organization } from "../organizations/organization.entity";
import { agentActions } from "./agent.audit";
import { Agent } from "./agent.entity";
import type { CreateAgentInput, RenameAgentInput } from "./agent.inputs";
import { MAX_AGENTS } from "./agent.limits";
import { lockAgent } from "./agent-scope";

type AgentHook = (tx: Tx, context: RequestContext, agent: Agent) => Promise<void>;

declare module "../../schema/hooks" {
  interface Hooks {
    /** Adds a feature's data for a new agent, in the transaction that creates the agent. */
    agentCreated: AgentHook;
    /**
     * Revokes an agent's grants in the transaction that deletes the agent. Runs before the agent's row is
     * locked, because transactions that act on behalf of a key lock the key before its agent.
     */
    agentDeletionStarted: AgentHook;
    /** Throws if an agent may not be deleted; called while the agent's row is locked. */
    agentDeleting: AgentHook;
    /** Stops an agent's activity in the transaction that deletes the agent; its rows are purged later. */
    agentDeleted: AgentHook;
  }
}

const REQUIRED = { permission: Permission.config_manage };

/** Creates, lists, renames and deletes organizations' agents. */
export class AgentService {
  /** Finds an agent by ID, even if deleted; the caller must already have access to one of its resources. */
  readonly byId = rowByKey(this.database, "agents", "id", (reader, ids) =>
    reader.createQueryBuilder(Agent, "agent").withDeleted().where("agent.id IN (:...ids)", { ids }).getMany(),
  );

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Returns the agent that owns a resource, even if the agent is deleted. The caller must have access to the resource.
   * @throws GatewayError `not_found`
   */
  async of({ agentId }: { agentId: string }): Promise<Agent> {
    const agent = await this.byId(agentId);
    if (agent === undefined) throw noSuch("agent");
    return agent;
  }

  /** Returns the agents in the caller's organization, ordered by slug. */
  list(context: RequestContext): Promise<Agent[]> {
    const organizationId = organizationOf(context);
    return this.database.read((reader) =>
      reader.find(Agent, { where: { organizationId }, order: { slug: "ASC" } }),
    );
  }

  /**
   * Returns one page of the agents in all organizations, oldest first. Used by the command line.
   * @throws GatewayError `invalid_cursor`
   */
  async listAll({ first, after }: PageArgs): Promise<Connection<Agent>> {
    const page = { limit: first, after: after === null ? undefined : decodeCursor("agent", after, isUuid) };
    const rows = await this.database.read((reader) => {
      const query = reader
        .createQueryBuilder(Agent, "agent")
        .innerJoinAndSelect("agent.organization", "organization");
      return paginate(query, page).getMany();
    });
    const nodes = rows.slice(0, first);
    const cursorOf = ({ id }: Agent) => encodeCursor("agent", id);
    return { nodes, pageInfo: pageInfoOf(nodes, page, rows.length > first, cursorOf) };
  }

  /**
   * Finds an agent in any organization by its slug. Used by the command line.
   * @throws GatewayError `not_found`
   */
  async bySlug(slug: string): Promise<Agent & Required<Pick<Agent, "organization">>> {
    const agent = await this.database.read((reader) =>
      reader.findOne(Agent, { where: { slug }, relations: { organization: true } }),
    );
    if (agent?.organization === undefined)
      throw new GatewayError("not_found", `There is no agent "${slug}".`);
    return { ...agent, organization: agent.organization };
  }

  /**
   * Creates an agent in the caller's organization, with other features' initial data.
   * @param tx the transaction to join; by default, a new one
   * @returns the agent; a retry with the same idempotency key returns its current state
   * @throws GatewayError `conflict` if the slug is taken, `limit_reached`, `idempotency_key_reused`, or
   *   `not_found` for a retry after the agent was deleted
   */
  create(
    context: RequestContext,
    input: Pick<CreateAgentInput, "slug" | "name"> & Partial<CreateAgentInput>,
    tx?: Tx,
  ): Promise<Agent> {
    const organizationId = organizationOf(context);
    const { slug, idempotencyKey } = input;
    const name = input.name.trim();
    const unit = async (tx: Tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      return once(tx, {
        scope: `createAgent:${actorOf(context.caller).actorId ?? organizationId}`,
        answer: context.answer,
        key: idempotencyKey,
        request: { slug, name },
        create: () => this.insert(tx, context, { slug, name }),
        repeat: (id) => ownAgent(tx, context, id),
        idOf: ({ id }) => id,
      });
    };
    return this.database.writeFor(ownerOf(context.caller), unit, { tx });
  }

  private async insert(
    tx: Tx,
    context: RequestContext,
    { slug, name }: Pick<Agent, "slug" | "name">,
  ): Promise<Agent> {
    const organizationId = organizationOf(context);
    // Locks the organization's row, so that two concurrent calls cannot both pass the limit check.
    await tx.update(Organization, { id: organizationId }, { createdAt: () => "created_at" });
    if ((await tx.countBy(Agent, { organizationId })) >= MAX_AGENTS)
      throw new GatewayError("limit_reached", `An organization can have at most ${MAX_AGENTS} agents.`);
    const createdAt = timestamp();
    const id = uuid();
    const agent = tx.create(Agent, {
      id,
      organizationId,
      slug,
      name,
      createdAt,
      deletedAt: null,
      purgedAt: null,
    });
    await insertUnlessTaken(
      tx,
      Agent,
      agent,
      `An agent "${slug}" already exists, or existed and was deleted.`,
    );
    await recordAudit(tx, context, agentActions.agent_created, targetOf(agent), { name: [null, name] });
    for (const hook of this.hooks.of("agentCreated")) await hook(tx, context, agent);
    return agent;
  }

  /**
   * Changes an agent's display name. Setting the current name records nothing.
   * @throws GatewayError `not_found`
   */
  rename(context: RequestContext, { id, name }: RenameAgentInput): Promise<Agent> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const agent = await this.lockOwn(tx, context, id);
      const next = name.trim();
      if (next === agent.name) return agent;
      await tx.update(Agent, { id }, { name: next });
      await recordAudit(tx, context, agentActions.agent_renamed, targetOf(agent), {
        name: [agent.name, next],
      });
      return ownAgent(tx, context, id);
    });
  }

  /**
   * Deletes an agent: it is no longer found, sends nothing and gets no new keys. `AgentPurge` deletes its rows.
   * @throws GatewayError `not_found`, or `conflict` while the agent has active keys
   */
  delete(context: RequestContext, id: string): Promise<Agent> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const found = await ownAgent(tx, context, id);
      for (const hook of this.hooks.of("agentDeletionStarted")) await hook(tx, context, found);
      const agent = await this.lockOwn(tx, context, id);
      for (const hook of this.hooks.of("agentDeleting")) await hook(tx, context, agent);
      await tx.waitForInserts();
      const deletedAt = timestamp();
      await tx.update(Agent, { id }, { deletedAt });
      // No delivery can start after this call. The agent's lanes are purged later, along with its other rows.
      await this.lanes.awaitDeliveries(tx, [id]);
      for (const hook of this.hooks.of("agentDeleted")) await hook(tx, context, agent);
      await recordAudit(tx, context, agentActions.agent_deleted, targetOf(agent), {
        name: [agent.name, null],
      });
      return { ...agent, deletedAt };
    });
  }

  private async lockOwn(tx: Tx, context: RequestContext, id: string): Promise<Agent> {
    await ownAgent(tx, context, id);
    await lockAgent(tx, id);
    return ownAgent(tx, context, id);
  }
}

const targetOf = ({ id, slug, organizationId }: Agent) => ({ id, name: slug, organizationId });

/** Returns an agent in the caller's organization, or throws `not_found`. */
async function ownAgent(reader: EntityManager, context: RequestContext, id: string): Promise<Agent> {
  const organizationId = organizationOf(context);
  const agent = isUuid(id) ? await reader.findOneBy(Agent, { id, organizationId }) : null;
  if (agent === null) throw noSuch("agent");
  return agent;
}
