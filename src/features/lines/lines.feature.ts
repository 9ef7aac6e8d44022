import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { insertLine } from "./create-line";
import { Line } from "./line.entity";
import { LineResolver } from "./line.resolver";
import { lineRoutes } from "./line.routes";
import { LineService } from "./line.service";

/** Name of the line that every agent starts with. */
const FIRST_LINE = "main";

/** The lines that agents speak from. */
export const lines = feature({
  entities: [Line],
  services: ({ database, lanes, agents }: Core & { agents: AgentService }) => {
    agents.onCreate(async (tx, context, agent) => {
      await insertLine(tx, context, agent, { name: FIRST_LINE });
    });
    return { lines: new LineService(database, lanes) };
  },
  resolvers: (services) => [new LineResolver(services.lines)],
  routes: lineRoutes,
});
