import { DAY_MS, timestamp } from "../../common/time";
import { shareOf } from "../../database/semaphore";
import { TIMER_LANE } from "../../delivery/wake-lanes";
import { type Core, feature, olderThan } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { purgeRows } from "../agents/agent-purge";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { MAX_ONCE_DAYS } from "../configuration/configuration.limits";
import type { ConfigurationService } from "../configuration/configuration.service";
import type { Consents } from "../contacts/consents";
import type { ContactService } from "../contacts/contact.service";
import type { ConversationService } from "../conversations/conversation.service";
import type { DefaultConversations } from "../conversations/default-conversations";
import type { AgentQueues } from "../messages/agent-queues";
import { Candidates } from "./candidates";
import { ConfigurationTestsResolver } from "./configuration-tests/configuration-tests.resolver";
import { ConfigurationTestService } from "./configuration-tests/configuration-tests.service";
import { DECISION_LANE, Decision } from "./decision.entity";
import { decisionEventTypes } from "./decision.event-types";
import { DECISIONS, EFFECTS, MODEL_TOKENS } from "./decision.metrics";
import { DecisionResolver } from "./decision.resolver";
import { decisionRoutes } from "./decision.routes";
import { decisionScopes } from "./decision.scopes";
import { DecisionService } from "./decision.service";
import { DecisionMaker } from "./decision-maker";
import { DecisionRunner, MODEL, RULES } from "./decision-runner";
import { DecisionSteps } from "./decision-steps";
import { eraseDecisions } from "./erase-decisions";
import { decisionParts } from "./export-decisions";
import { contactsDecidedAbout, conversationsBeingDecided } from "./in-use";
import { DecisionContactResolver, DecisionConversationResolver, decisionLinks } from "./links.resolvers";
import { Model } from "./model/model";
import { ModelUsage } from "./model/model-usage.entity";
import { Planning } from "./planning";
import { ReplayService } from "./replay.service";
import { ReplayTurns } from "./replay-turns";
import { RuleMatch } from "./rule-match.entity";
import { SituationTriggers } from "./situation-triggers";
import { TimerDecisions } from "./timer-decisions";
import { HELD_TIMER_LANE, TimerRunner } from "./timer-runner";

interface Needs {
  configurations: ConfigurationService;
  compiledConfigurations: CompiledConfigurations;
  agentQueues: AgentQueues;
  defaultConversations: DefaultConversations;
  agents: AgentService;
  consents: Consents;
  contacts: ContactService;
  conversations: ConversationService;
}

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof decisionScopes, string> {}
}

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof decisionEventTypes, object> {}
}

/** The decisions that agents make in situations. */
export const decisions = feature({
  entities: [Decision, RuleMatch, ModelUsage],
  services: (core: Core & Needs) => {
    const { database, lanes, log, config, agentQueues, consents, defaultConversations } = core;
    const { compiledConfigurations, configurations } = core;
    const model = config.model && new Model(config.model);
    const planning = new Planning();
    const turns = new ReplayTurns();
    const candidates = new Candidates(database, compiledConfigurations, configurations);
    const dependencies = { lanes, consents, queues: agentQueues, defaultConversations };
    const steps = new DecisionSteps(dependencies, compiledConfigurations, model !== undefined, planning);
    const maker = new DecisionMaker(dependencies, compiledConfigurations, steps);
    const timerDecisions = new TimerDecisions(dependencies, compiledConfigurations, steps);
    return {
      situationTriggers: new SituationTriggers(lanes, compiledConfigurations),
      decisions: new DecisionService(database, maker, planning, candidates),
      decisionRunner: new DecisionRunner(database, maker, model, compiledConfigurations, planning, log),
      timerRunner: new TimerRunner(database, lanes, timerDecisions, planning, log),
      replays: new ReplayService(database, candidates, turns),
      configurationTests: new ConfigurationTestService(database, candidates, turns),
    };
  },
  hooks: ({ database, situationTriggers, configurationTests }) => ({
    configurationTested: (context, document) => configurationTests.differences(context, document),
    agentPurged: [
      // The matches of rules with `once` are not purged, because they contain only IDs and expire.
      purgeRows(database, Decision),
      async (agentId, { owner }) => {
        await database.writeFor(owner, (tx) => tx.delete(ModelUsage, { agentId }));
        return true;
      },
    ],
    contactsTouched: contactsDecidedAbout,
    conversationsInUse: conversationsBeingDecided,
    contactErased: eraseDecisions(database),
    contactExported: decisionParts,
    conversationReleased: situationTriggers.released,
    messagesFailed: situationTriggers.messagesFailed,
  }),
  resolvers: ({ decisions, replays, configurationTests, agents, contacts, conversations }) => [
    new DecisionResolver(decisions, replays, agents),
    new ConfigurationTestsResolver(configurationTests),
    new DecisionContactResolver(contacts),
    new DecisionConversationResolver(conversations),
    ...decisionLinks.map((Link) => new Link(decisions)),
  ],
  routes: decisionRoutes,
  scopes: decisionScopes,
  eventTypes: decisionEventTypes,
  metrics: () => [DECISIONS, EFFECTS, MODEL_TOKENS],
  shares: (senders, { model: settings }) => {
    // By default, models and webhooks together leave messages at least one of three or more senders.
    const model = settings?.concurrency ?? Math.max(1, Math.floor(senders / 2) - 1);
    return {
      [MODEL]: { by: "channel", together: model, owner: shareOf(model), channel: model },
      [RULES]: { by: "channel", together: senders, owner: senders, channel: senders },
    };
  },
  lanes: ({ decisionRunner, timerRunner }) => ({
    [DECISION_LANE]: decisionRunner,
    [TIMER_LANE]: timerRunner,
    [HELD_TIMER_LANE]: timerRunner,
  }),
  retention: { RETENTION_DECISIONS_DAYS: 90 },
  expired: ({ RETENTION_DECISIONS_DAYS: days }) => [
    { entity: RuleMatch, column: "matched_at", before: timestamp(-MAX_ONCE_DAYS * DAY_MS) },
    { entity: ModelUsage, column: "day", before: timestamp(-2 * DAY_MS) },
    ...olderThan(days, Decision, "created_at"),
  ],
});
