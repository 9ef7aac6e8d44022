import { Lane } from "../../delivery/lane.entity";
import { WAKE_LANE, wakeWork } from "../../delivery/wake-lanes";
import { feature } from "../../schema/feature";
import { Agent } from "./agent.entity";
import { AgentResolver } from "./agent.resolver";
import { agentRoutes } from "./agent.routes";
import { agentScopes } from "./agent.scopes";
import { AgentService } from "./agent.service";
import { AgentPurge, purgeRows } from "./agent-purge";

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof agentScopes, string> {}
}

/** An organization's agents. */
export const agents = feature({
  entities: [Agent],
  services: ({ database, lanes, log, hooks }) => ({
    agentPurge: new AgentPurge(database, log, hooks),
    agents: new AgentService(database, lanes, hooks),
  }),
  hooks: ({ database }) => ({ agentPurged: purgeRows(database, Lane) }),
  chores: ({ agentPurge }) => [(signal) => agentPurge.finishAll(signal)],
  stop: ({ agentPurge }) => agentPurge.close(),
  resolvers: (services) => [new AgentResolver(services.agents, services.agentPurge)],
  routes: agentRoutes,
  scopes: agentScopes,
  lanes: () => ({ [WAKE_LANE]: wakeWork }),
});
