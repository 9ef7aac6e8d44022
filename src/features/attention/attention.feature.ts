import { type Core, feature } from "../../schema/feature";
import type { RestoreService } from "../restores/restore.service";
import { AttentionResolver } from "./attention.resolver";
import { AttentionService } from "./attention.service";

/** The list of problems and tasks that need a person's attention. */
export const attention = feature({
  entities: [],
  services: ({ database, restores }: Core & { restores: RestoreService }) => ({
    attention: new AttentionService(database, restores),
  }),
  resolvers: (services) => [new AttentionResolver(services.attention)],
});
