import { feature } from "../../schema/feature";
import { ActivityResolver } from "./activity.resolver";
import { ActivityService } from "./activity.service";

/** Reports the activity of an organization's agents. */
export const activity = feature({
  entities: [],
  services: ({ database }) => ({ activity: new ActivityService(database) }),
  resolvers: (services) => [new ActivityResolver(services.activity)],
});
