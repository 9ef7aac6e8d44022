import { Lane } from "../../delivery/lane.entity";
import { feature } from "../../schema/feature";
import { Agent } from "./agent.entity";
import { AgentResolver } from "./agent.resolver";
import { agentRoutes } from "./agent.routes";
import { AgentService } from "./agent.service";
import { AgentPurge, purgeRows } from "./agent-purge";

/** The agents of an organization. */
export const agents = feature({
  entities: [Agent],
  services: ({ database, lanes, log }) => {
    const agentPurge = new AgentPurge(database, log);
    agentPurge.onPurge(purgeRows(database, Lane));
    return { agentPurge, agents: new AgentService(database, lanes) };
  },
  resolvers: (services) => [new AgentResolver(services.agents, services.agentPurge)],
  routes: agentRoutes,
  batches: ["agents"],
});
