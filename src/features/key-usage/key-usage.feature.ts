import { keyOf } from "../../auth/caller";
import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { feature } from "../../schema/feature";
import { DeprecatedUse } from "./deprecated-use.entity";
import { DEPRECATED_USES } from "./deprecated-uses";
import { HourlyUse, USE_LIFETIME_MS } from "./hourly-use.entity";
import { keepLastUses } from "./keep-last-uses";
import { OperationUse } from "./operation-use.entity";
import { UsageResolver } from "./usage.resolver";
import { UsageService } from "./usage.service";
import { UsageRecorder } from "./usage-recorder";

/** Use of API keys, operations and deprecated parts of the APIs: recorded in memory and written within seconds. */
export const keyUsage = feature({
  entities: [HourlyUse, DeprecatedUse, OperationUse],
  services: ({ database, log }) => ({
    usageRecorder: new UsageRecorder(database, (err) => log.warn({ err }, "could not write key usage")),
    usageReports: new UsageService(database),
  }),
  hooks: ({ usageRecorder, observer }) => ({
    deprecatedUsed: (caller, names) => {
      const key = keyOf(caller);
      if (key === undefined) return;
      usageRecorder.deprecated(key.id, names);
      for (const name of names) observer.count(DEPRECATED_USES, [name]);
    },
    operationEnded: ({ caller, origin }, operation, outcome) => {
      const key = keyOf(caller);
      if (key !== undefined) usageRecorder.ended(key.id, operation, origin, outcome);
    },
  }),
  metrics: () => [DEPRECATED_USES],
  close: ({ usageRecorder }) => usageRecorder.close(),
  resolvers: (services) => [new UsageResolver(services.usageReports)],
  expired: () => {
    const before = timestamp(-USE_LIFETIME_MS);
    const keep = (tx: Tx, limit: number) => keepLastUses(tx, before, limit);
    return [
      { entity: HourlyUse, column: "hour", before, keep },
      { entity: DeprecatedUse, column: "day", before },
      { entity: OperationUse, column: "day", before },
    ];
  },
});
