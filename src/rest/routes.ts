import { agentRoutes } from "../features/agents/agent.routes";
import { messageRoutes } from "../features/messages/message.routes";
import { petRoutes } from "../features/pets/pet.routes";
import type { RestRoute, RouteGroup } from "../schema/rest-route";

/** The whole REST API, in the order of its documentation. */
export const ROUTE_GROUPS: readonly RouteGroup[] = [petRoutes, agentRoutes, messageRoutes];

/** Its routes. */
export const ROUTES: readonly RestRoute[] = ROUTE_GROUPS.flatMap(({ routes }) => routes);
