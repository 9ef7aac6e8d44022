import { DAY_MS, timestamp } from "../../common/time";
import { LaneKind } from "../../delivery/lane.entity";
import { type Core, feature } from "../../schema/feature";
import { type AgentPurge, purgeRows } from "../agents/agent-purge";
import { MAX_ONCE_DAYS } from "../configuration/configuration.limits";
import type { ConfigurationService } from "../configuration/configuration.service";
import type { Playbooks } from "../configuration/playbooks";
import type { Erasures } from "../contacts/erasures";
import type { ConversationChanges } from "../conversations/conversation-changes";
import type { DefaultConversations } from "../conversations/default-conversations";
import type { AgentQueues } from "../messages/agent-queues";
import type { MessageFailures } from "../messages/message-failures";
import { Decision } from "./decision.entity";
import { DecisionResolver } from "./decision.resolver";
import { decisionRoutes } from "./decision.routes";
import { DecisionService } from "./decision.service";
import { DecisionMaker } from "./decision-maker";
import { DecisionRunner } from "./decision-runner";
import { eraseDecisions } from "./erase-decisions";
import { Model } from "./model/model";
import { RaisedSituations } from "./raised-situations";
import { ReplayService } from "./replay.service";
import { RuleMatch } from "./rule-match.entity";

interface Needs {
  agentPurge: AgentPurge;
  configurations: ConfigurationService;
  playbooks: Playbooks;
  erasures: Erasures;
  agentQueues: AgentQueues;
  conversationChanges: ConversationChanges;
  defaultConversations: DefaultConversations;
  messageFailures: MessageFailures;
}

/** What agents decide in the situations that they are handed. */
export const decisions = feature({
  entities: [Decision, RuleMatch],
  services: ({ database, lanes, log, config, agentPurge, ...needs }: Core & Needs) => {
    // What rules with `once` matched holds only IDs, and expires.
    agentPurge.onPurge(purgeRows(database, Decision));
    const { playbooks, erasures, agentQueues, conversationChanges, defaultConversations } = needs;
    const { configurations, messageFailures } = needs;
    erasures.onErase(eraseDecisions(database));
    const situations = new RaisedSituations(database, lanes, playbooks);
    conversationChanges.onRelease(situations.released);
    messageFailures.onFail(situations.messagesFailed);
    const model = config.model && new Model(config.model);
    const maker = new DecisionMaker(
      { database, lanes, queues: agentQueues, defaultConversations },
      playbooks,
      model !== undefined,
    );
    return {
      situations,
      decisions: new DecisionService(database, maker),
      decisionRunner: new DecisionRunner(database, maker, model, log),
      replays: new ReplayService(database, playbooks, configurations),
    };
  },
  resolvers: (services) => [new DecisionResolver(services.decisions, services.replays)],
  routes: decisionRoutes,
  lanes: ({ decisionRunner }) => ({ [LaneKind.decision]: decisionRunner }),
  expired: ({ decisionRetentionDays }) => [
    { entity: RuleMatch, column: "matched_at", before: timestamp(-MAX_ONCE_DAYS * DAY_MS) },
    ...(decisionRetentionDays === 0
      ? []
      : [{ entity: Decision, column: "created_at", before: timestamp(-decisionRetentionDays * DAY_MS) }]),
  ],
});
