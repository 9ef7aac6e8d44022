import { feature } from "../../schema/feature";
import { purgeRows } from "../agents/agent-purge";
import { insertLine } from "./create-line";
import { Line, LineState } from "./line.entity";
import { lineEventTypes } from "./line.event-types";
import { AgentLinesResolver, LineResolver } from "./line.resolver";
import { lineRoutes } from "./line.routes";
import { LineService } from "./line.service";
import { LineDrivers } from "./line-drivers";
import { LineHealth } from "./line-health";
import { LineTestService } from "./line-test.service";
import { LineTraffic } from "./line-traffic.entity";
import { loseSecrets } from "./lose-secrets";

/** Name of every agent's first line. */
const FIRST_LINE = "main";

export interface LineServices {
  lines: LineService;
  drivers: LineDrivers;
  lineHealth: LineHealth;
}

declare module "../events/event-types" {
  interface EventTypes extends Record<keyof typeof lineEventTypes, object> {}
}

/** The lines that agents send messages from. */
export const lines = feature({
  entities: [Line, LineTraffic],
  services: ({ database, lanes, targets, instanceKey, hooks, log }) => ({
    lines: new LineService(database, lanes, targets, instanceKey, hooks),
    drivers: new LineDrivers(targets, instanceKey),
    lineHealth: new LineHealth(database, lanes, log),
    lineTests: new LineTestService(database, targets, instanceKey),
  }),
  hooks: ({ database, instanceKey }) => ({
    agentCreated: async (tx, context, agent) => {
      await insertLine(tx, context, agent, { name: FIRST_LINE }, instanceKey);
    },
    // Archives the lines, so that messages queued while the agent is being deleted are not sent.
    agentDeleted: async (tx, _, { id: agentId }) => {
      await tx.update(Line, { agentId }, { state: LineState.archived });
    },
    agentPurged: purgeRows(database, Line, [[LineTraffic, "lineId"]]),
    instanceKeyReplaced: loseSecrets,
  }),
  resolvers: (services) => [
    new LineResolver(services.lines, services.lineTests),
    new AgentLinesResolver(services.lines),
  ],
  routes: lineRoutes,
  eventTypes: lineEventTypes,
});
