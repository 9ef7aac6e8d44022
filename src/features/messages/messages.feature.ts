import { LaneKind } from "../../delivery/lane.entity";
import { feature } from "../../schema/feature";
import { AgentQueues } from "./agent-queues";
import { deliverMessages } from "./deliver-messages";
import { DeliveryAttempt } from "./delivery-attempt.entity";
import { Message } from "./message.entity";
import { MessageResolver } from "./message.resolver";
import { messageRoutes } from "./message.routes";
import { MessageService } from "./message.service";

/** Messages of agents and their delivery. */
export const messages = feature({
  entities: [Message, DeliveryAttempt],
  services: ({ database, lanes }) => {
    const agentQueues = new AgentQueues(database);
    return { agentQueues, messages: new MessageService(database, lanes, agentQueues) };
  },
  resolvers: (services) => [new MessageResolver(services.messages)],
  routes: messageRoutes,
  lanes: { [LaneKind.message]: deliverMessages },
});
