import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { organizationOf, type RequestContext } from "../../auth/context";
import { indexBy } from "../../common/coalesce";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { insertUnlessTaken } from "../../database/insert-unless-taken";
import { GatewayError } from "../../errors";
import { type Connection, PageInfo, paginate } from "../../pagination/connection";
import { decodeCursor } from "../../pagination/cursor";
import { recordAudit } from "../audit/audit";
import { agentActions } from "./agent.audit";
import { Agent } from "./agent.entity";
import type { NewAgent } from "./agent.inputs";

/** Adds to an agent in the transaction that creates it. */
type CreationStep = (tx: EntityManager, context: RequestContext, agent: Agent) => Promise<void>;

/** The agents of organizations. */
export class AgentService {
  /** An agent by its ID, without an access check: the caller must already have access to a resource of the agent. */
  readonly byId: (id: string) => Promise<Agent | undefined>;

  private readonly steps: CreationStep[] = [];

  constructor(private readonly database: Database) {
    this.byId = database.coalesceByKey("agents", async (ids) => {
      const agents = await database.read((reader) =>
        reader.createQueryBuilder(Agent, "agent").where("agent.id IN (:...ids)", { ids }).getMany(),
      );
      return indexBy(agents, ({ id }) => id);
    });
  }

  /** Runs a step of another feature whenever an agent is created. */
  onCreate(step: CreationStep): void {
    this.steps.push(step);
  }

  /** The agents of the caller's organization, ordered by slug. */
  list(context: RequestContext): Promise<Agent[]> {
    const organizationId = organizationOf(context);
    return this.database.read((reader) =>
      reader.find(Agent, { where: { organizationId }, order: { slug: "ASC" } }),
    );
  }

  /**
   * One page of the agents of all organizations or of one, oldest first, for the command line.
   * @throws GatewayError `invalid_cursor`
   */
  async listAll({
    org,
    first,
    after,
  }: {
    org: string | undefined;
    first: number;
    after: string | null;
  }): Promise<Connection<Agent>> {
    const page = { limit: first, after: after === null ? undefined : decodeCursor("agent", after, isUuid) };
    const rows = await this.database.read((reader) => {
      const query = reader
        .createQueryBuilder(Agent, "agent")
        .innerJoinAndSelect("agent.organization", "organization");
      if (org !== undefined) query.andWhere("organization.slug = :org", { org });
      return paginate(query, page).getMany();
    });
    const nodes = rows.slice(0, first);
    return { nodes, pageInfo: new PageInfo("agent", nodes, page, rows.length > first) };
  }

  /**
   * An agent of any organization by its slug, for the command line.
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
   * Creates an agent in the caller's organization, with what other features add to a new agent.
   * @param tx the transaction to join, if any
   * @throws GatewayError `conflict` if the slug is taken
   */
  create(context: RequestContext, { slug, name }: NewAgent, tx?: EntityManager): Promise<Agent> {
    const organizationId = organizationOf(context);
    const unit = async (tx: EntityManager) => {
      const agent = tx.create(Agent, { id: uuid(), organizationId, slug, name, createdAt: timestamp() });
      await insertUnlessTaken(tx, Agent, agent, `There is already an agent "${slug}".`);
      const target = { id: agent.id, name: slug, organizationId };
      await recordAudit(tx, context, agentActions.agent_created, target, { name: [null, name] });
      for (const step of this.steps) await step(tx, context, agent);
      return agent;
    };
    return this.database.write(unit, { tx });
  }
}
