import { feature } from "../../schema/feature";
import { Agent } from "./agent.entity";
import { AgentResolver } from "./agent.resolver";
import { agentRoutes } from "./agent.routes";
import { AgentService } from "./agent.service";

/** The agents of an organization. */
export const agents = feature({
  entities: [Agent],
  services: ({ database }) => ({ agents: new AgentService(database) }),
  resolvers: (services) => [new AgentResolver(services.agents)],
  routes: agentRoutes,
  batches: ["agents"],
});
