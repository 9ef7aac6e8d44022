import { In } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { GatewayError, noSuch } from "../../errors";
import { createdBetween } from "../../pagination/created-between";
import { findOfCaller, scopedAgentId } from "../agents/agent-scope";
import { type Candidate, type Candidates, candidateOf } from "./candidates";
import { Decision, DecisionState } from "./decision.entity";
import type { ReplayDecisionsArgs } from "./decision.inputs";
import {
  type ComparedDecision,
  type Replay,
  type ReplayAgainst,
  type Replays,
  replay,
  summarize,
} from "./replay";
import type { ReplayTurns } from "./replay-turns";

/** Max decisions that a replay holds in memory, because explanations may be large. */
const MAX_LOADED = 20;

/** Shows how agents would have decided with another configuration. */
export class ReplayService {
  constructor(
    private readonly database: Database,
    private readonly candidates: Candidates,
    private readonly turns: ReplayTurns,
  ) {}

  /**
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
    // The decisions are read only after the wait, so that waiting replays hold none in memory.
    return this.turns.replay(context, async () => {
      const [ids, candidate] = await this.last(context, args);
      const loaded = await this.candidates.compile(context, candidate);
      const compared: ComparedDecision[] = [];
      for (let at = 0; at < ids.length; at += MAX_LOADED) {
        const id = In(ids.slice(at, at + MAX_LOADED));
        // Decisions may have been deleted since their IDs were read.
        const decisions = await this.database.read((reader) =>
          reader.find(Decision, { where: { id }, order: { id: "DESC" } }),
        );
        for (const decision of decisions) {
          const replayed = await this.turns.evaluate(context, () => replay(decision, loaded));
          const { explanation: _, ...without } = replayed;
          compared.push(without);
        }
      }
      return summarize(compared);
    });
  }

  /** Returns the IDs of the decisions to replay, newest first, and the configuration to use. */
  private last(
    context: RequestContext,
    { agentId, since, until, first, against }: ReplayDecisionsArgs,
  ): Promise<readonly [string[], Candidate]> {
    return this.database.report(organizationOf(context), async (reader) => {
      const agent = await scopedAgentId(reader, context, agentId);
      const query = reader
        .createQueryBuilder(Decision, "decision")
        .select("decision.id")
        .where({ agentId: agent, state: DecisionState.decided })
        .orderBy("decision.id", "DESC")
        .limit(first);
      createdBetween(query, { since, until });
      const ids = (await query.getMany()).map(({ id }) => id);
      return [ids, await candidateOf(reader, context, agent, against)] as const;
    });
  }
}
