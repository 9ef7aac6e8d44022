import { feature } from "../../schema/feature";
import { KnownDatabase } from "./known-database.entity";
import { RestoreService } from "./restore.service";

/** Detects and handles databases that were restored from a backup. */
export const restores = feature({
  entities: [KnownDatabase],
  services: ({ database, log }) => ({ restores: new RestoreService(database, log) }),
  hooks: ({ restores }) => ({
    restoreGuard: restores,
    readiness: async () => {
      const restoredAt = await restores.restoredAt();
      return restoredAt === null ? {} : { restoredAt };
    },
  }),
  metrics: ({ restores }) => [
    {
      type: "reading",
      name: "gateway_database_restored_timestamp_seconds",
      help: "When the database was restored from a backup (Unix time). Absent once the restore is confirmed.",
      isShared: true,
      read: async () => {
        const at = await restores.restoredAt().catch(() => null);
        return at === null ? undefined : Date.parse(at) / 1000;
      },
    },
  ],
  resolvers: () => [],
});
