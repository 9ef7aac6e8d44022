import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { findOfCaller, scopedAgentId } from "../agents/agent-scope";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import type { ConfigurationService } from "../configuration/configuration.service";
import { ConfigurationDraft } from "../configuration/configuration-draft.entity";
import { ConfigurationVersion } from "../configuration/configuration-version.entity";
import { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { Decision, DecisionState } from "./decision.entity";
import type { ReplayDecisionsArgs } from "./decision.inputs";
import { type Against, type Replay, type ReplayAgainst, type Replays, replay, summarize } from "./replay";
import { ReplayTurns } from "./replay-turns";

/** Shows what agents would have decided with another configuration. */
export class ReplayService {
  private readonly turns = new ReplayTurns();

  constructor(
    private readonly database: Database,
    private readonly compiledConfigurations: CompiledConfigurations,
    private readonly configurations: Pick<ConfigurationService, "check">,
  ) {}

  /**
   * Replays one decision.
   * @throws GatewayError `not_found` (decision, version, draft), `invalid_request` for a draft with an API key, or if
   *   the client has disconnected, `conflict` for an unfinished decision or an invalid draft, or `unavailable` if it
   *   would wait too long
   */
  async one(context: RequestContext, id: string, against: ReplayAgainst): Promise<Replay> {
    const [decision, candidate] = await this.database.read(async (reader) => {
      const found = await findOfCaller(reader, context, Decision, id);
      if (found === null) throw noSuch("decision");
      return [found, await candidateOf(reader, context, found.agentId, against)] as const;
    });
    if (decision.state !== DecisionState.decided)
      throw new GatewayError("conflict", `The decision is ${decision.state}.`);
    const loaded = await this.load(context, candidate);
    return this.turns.evaluate(context, () => replay(decision, loaded));
  }

  /**
   * Replays the most recent decisions of an agent; an organization's replays run one at a time.
   * @throws GatewayError like `one`, or `not_found` (agent)
   */
  many(context: RequestContext, args: ReplayDecisionsArgs): Promise<Replays> {
    // Waiting replays hold no decisions in memory.
    return this.turns.replay(context, async () => {
      const [decisions, candidate] = await this.last(context, args);
      const loaded = await this.load(context, candidate);
      const replays: Replay[] = [];
      for (const decision of decisions)
        replays.push(await this.turns.evaluate(context, () => replay(decision, loaded)));
      return summarize(replays);
    });
  }

  /** The decisions to replay, newest first, and the configuration to use. */
  private last(
    context: RequestContext,
    { agentId, since, until, first, against }: ReplayDecisionsArgs,
  ): Promise<readonly [Decision[], ConfigurationVersion | ConfigurationDraft]> {
    return this.database.report(organizationOf(context), async (reader) => {
      const agent = await scopedAgentId(reader, context, agentId);
      const query = reader
        .createQueryBuilder(Decision, "decision")
        .where({ agentId: agent, state: DecisionState.decided })
        .orderBy("decision.id", "DESC")
        .limit(first);
      if (since != null) query.andWhere("decision.created_at >= :since", { since: since.toISOString() });
      if (until != null) query.andWhere("decision.created_at < :until", { until: until.toISOString() });
      return [await query.getMany(), await candidateOf(reader, context, agent, against)] as const;
    });
  }

  private async load(
    context: RequestContext,
    candidate: ConfigurationVersion | ConfigurationDraft,
  ): Promise<Against> {
    if (candidate instanceof ConfigurationVersion)
      return { version: candidate.version, configuration: this.compiledConfigurations.of(candidate) };
    const { problems, document } = await this.configurations.check(context, candidate.document);
    const [problem] = problems;
    if (document === undefined || problem !== undefined) {
      const what = problem === undefined ? "" : `: ${problem.path} ${problem.message}`;
      throw new GatewayError("conflict", `The draft is not valid${what}.`);
    }
    return { version: null, configuration: new CompiledConfiguration(document, true) };
  }
}

async function candidateOf(
  reader: EntityManager,
  { caller }: RequestContext,
  agentId: string,
  { version, draft }: ReplayAgainst,
): Promise<ConfigurationVersion | ConfigurationDraft> {
  if (version != null) {
    const found = await reader.findOneBy(ConfigurationVersion, { agentId, version });
    if (found === null) throw noSuch("version");
    return found;
  }
  if (draft !== true) throw new InvalidInput([{ path: "against.draft", message: "must be true" }]);
  if (caller.kind === "agent")
    throw new InvalidInput([{ path: "against.draft", message: "is not allowed with an API key" }]);
  const found = await reader.findOneBy(ConfigurationDraft, { agentId });
  if (found === null) throw noSuch("draft");
  return found;
}
