import { DAY_MS } from "../../common/time";
import { leastUuidAt } from "../../common/uuid";
import { feature } from "../../schema/feature";
import { AuditResolver } from "./audit.resolver";
import { AuditService } from "./audit.service";
import { AuditEntry } from "./audit-entry.entity";

/** An organization's audit log. */
export const audit = feature({
  entities: [AuditEntry],
  services: ({ database }) => ({ audit: new AuditService(database) }),
  resolvers: (services) => [new AuditResolver(services.audit)],
  retention: { AUDIT_RETENTION_DAYS: 0 },
  expired: ({ AUDIT_RETENTION_DAYS: days }) =>
    days ? [{ entity: AuditEntry, column: "id", before: leastUuidAt(Date.now() - days * DAY_MS) }] : [],
});
