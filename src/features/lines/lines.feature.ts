import { type Core, feature } from "../../schema/feature";
import type { AgentService } from "../agents/agent.service";
import { insertLine } from "./create-line";
import { Line } from "./line.entity";
import { LineResolver } from "./line.resolver";
import { lineRoutes } from "./line.routes";
import { LineService } from "./line.service";
import { loseSecrets } from "./lose-secrets";

/** Name of the line that every agent starts with. */
const FIRST_LINE = "main";

/** The lines that agents speak from. */
export const lines = feature({
  entities: [Line],
  services: ({ database, lanes, targets, instanceKey, agents }: Core & { agents: AgentService }) => {
    agents.onCreate(async (tx, context, agent) => {
      await insertLine(tx, context, agent, { name: FIRST_LINE }, instanceKey);
    });
    instanceKey.onReplace(loseSecrets);
    return { lines: new LineService(database, lanes, targets, instanceKey) };
  },
  resolvers: (services) => [new LineResolver(services.lines)],
  routes: lineRoutes,
});
