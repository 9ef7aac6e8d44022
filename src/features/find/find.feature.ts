import { feature } from "../../schema/feature";
import { FindResolver } from "./find.resolver";
import { FindService } from "./find.service";

/** Finds an organization's resources by pasted or typed text. */
export const find = feature({
  entities: [],
  services: ({ database }) => ({ find: new FindService(database) }),
  resolvers: (services) => [new FindResolver(services.find)],
});
