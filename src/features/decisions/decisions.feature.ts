import { DAY_MS, timestamp } from "../../common/time";
import { type Core, feature } from "../../schema/feature";
import { MAX_ONCE_DAYS } from "../configuration/configuration.limits";
import type { Playbooks } from "../configuration/playbooks";
import type { Erasures } from "../contacts/erasures";
import type { AgentQueues } from "../messages/agent-queues";
import { Decision } from "./decision.entity";
import { DecisionResolver } from "./decision.resolver";
import { decisionRoutes } from "./decision.routes";
import { DecisionService } from "./decision.service";
import { eraseDecisions } from "./erase-decisions";
import { ReplayService } from "./replay.service";
import { RuleMatch } from "./rule-match.entity";

interface Needs {
  playbooks: Playbooks;
  erasures: Erasures;
  agentQueues: AgentQueues;
}

/** What agents decide in the situations that they are handed. */
export const decisions = feature({
  entities: [Decision, RuleMatch],
  services: ({ database, lanes, playbooks, erasures, agentQueues }: Core & Needs) => {
    erasures.onErase(eraseDecisions(database));
    return {
      decisions: new DecisionService(database, lanes, playbooks, agentQueues),
      replays: new ReplayService(database, playbooks),
    };
  },
  resolvers: (services) => [new DecisionResolver(services.decisions, services.replays)],
  routes: decisionRoutes,
  expired: ({ decisionRetentionDays }) => [
    { entity: RuleMatch, column: "matched_at", before: timestamp(-MAX_ONCE_DAYS * DAY_MS) },
    ...(decisionRetentionDays === 0
      ? []
      : [{ entity: Decision, column: "created_at", before: timestamp(-decisionRetentionDays * DAY_MS) }]),
  ],
});
