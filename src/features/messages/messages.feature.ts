import { feature } from "../../schema/feature";
import { Message } from "./message.entity";
import { MessageResolver } from "./message.resolver";
import { messageRoutes } from "./message.routes";
import { MessageService } from "./message.service";

/** Messages queued for agents. */
export const messages = feature({
  entities: [Message],
  services: ({ database }) => ({ messages: new MessageService(database) }),
  resolvers: (services) => [new MessageResolver(services.messages)],
  routes: messageRoutes,
});
