import { feature } from "../../schema/feature";
import { KnownDatabase } from "./known-database.entity";
import { RestoreService } from "./restore.service";

/** Databases that were restored from a backup. */
export const restores = feature({
  entities: [KnownDatabase],
  services: ({ database, log }) => ({ restores: new RestoreService(database, log) }),
  resolvers: () => [],
});
