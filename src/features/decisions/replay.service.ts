import { organizationOf, type RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { GatewayError, noSuch } from "../../errors";
import { createdBetween } from "../../pagination/created-between";
import { findOfCaller, scopedAgentId } from "../agents/agent-scope";
import { type Candidate, type Candidates, candidateOf } from "./candidates";
import { Decision, DecisionState } from "./decision.entity";
import type { ReplayDecisionsArgs } from "./decision.inputs";
import { type Replay, type ReplayAgainst, type Replays, replay, summarize } from "./replay";
import type { ReplayTurns } from "./replay-turns";

/** Shows how agents would have decided with another configuration. */
export class ReplayService {
  constructor(
    private readonly database: Database,
    private readonly candidates: Candidates,
    private readonly turns: ReplayTurns,
  ) {}

  /**
   * Replays one decision.
   * @throws GatewayError see `Candidates`, `not_found` (decision), `conflict` for an unfinished decision,
   *   `invalid_request` if the client has disconnected, or `unavailable` if the wait is too long
   */
  async one(context: RequestContext, id: string, against: ReplayAgainst): Promise<Replay> {
    const [decision, candidate] = await this.database.read(async (reader) => {
      const found = await findOfCaller(reader, context, Decision, id);
      if (found === null) throw noSuch("decision");
      return [found, await candidateOf(reader, context, found.agentId, against)] as const;
    });
    if (decision.state !== DecisionState.decided)
      throw new GatewayError("conflict", `The decision is ${decision.state}.`);
    const loaded = await this.candidates.compile(context, candidate);
    return this.turns.evaluate(context, () => replay(decision, loaded));
  }

  /**
   * Replays an agent's most recent decisions; an organization can run only one replay at a time.
   * @throws GatewayError like `one`, or `not_found` (agent)
   */
  many(context: RequestContext, args: ReplayDecisionsArgs): Promise<Replays> {
    // Waiting replays hold no decisions in memory.
    return this.turns.replay(context, async () => {
      const [decisions, candidate] = await this.last(context, args);
      const loaded = await this.candidates.compile(context, candidate);
      const replays: Replay[] = [];
      for (const decision of decisions)
        replays.push(await this.turns.evaluate(context, () => replay(decision, loaded)));
      return summarize(replays);
    });
  }

  /** Returns the decisions to replay, newest first, and the configuration to use. */
  private last(
    context: RequestContext,
    { agentId, since, until, first, against }: ReplayDecisionsArgs,
  ): Promise<readonly [Decision[], Candidate]> {
    return this.database.report(organizationOf(context), async (reader) => {
      const agent = await scopedAgentId(reader, context, agentId);
      const query = reader
        .createQueryBuilder(Decision, "decision")
        .where({ agentId: agent, state: DecisionState.decided })
        .orderBy("decision.id", "DESC")
        .limit(first);
      createdBetween(query, { since, until });
      return [await query.getMany(), await candidateOf(reader, context, agent, against)] as const;
    });
  }
}
