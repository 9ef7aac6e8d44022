import { organizationOf, type RequestContext } from "../context";
import type { Database } from "../database/database";
import { paginate } from "../graphql/connection";
import { timestampOf } from "../validation/timestamp";
import { isUuid } from "../validation/uuid";
import { AuditEntryConnection } from "./audit.connection";
import type { AuditLogArgs } from "./audit.inputs";
import { AuditEntry } from "./audit-entry.entity";

/** Reads the audit log; `recordAudit` writes it. */
export class AuditService {
  constructor(private readonly database: Database) {}

  /** @returns one page of the organization's log, newest first. @throws GatewayError `invalid_cursor` */
  async list(context: RequestContext, args: AuditLogArgs): Promise<AuditEntryConnection> {
    const { action, actorId, targetId, since, until } = args;
    const page = AuditEntryConnection.pageOf(args);
    // Nothing has such an id, and PostgreSQL would refuse a NUL in it.
    if ([actorId, targetId].some((id) => id != null && !isUuid(id)))
      return new AuditEntryConnection([], page);
    const rows = await this.database.read((reader) => {
      const query = reader
        .createQueryBuilder(AuditEntry, "entry")
        .where({ organizationId: organizationOf(context) });
      if (action != null) query.andWhere({ action });
      if (actorId != null) query.andWhere({ actorId });
      if (targetId != null) query.andWhere({ targetId });
      if (since != null) query.andWhere("entry.created_at >= :since", { since: timestampOf(+since) });
      if (until != null) query.andWhere("entry.created_at < :until", { until: timestampOf(+until) });
      return paginate(query, page, "DESC").getMany();
    });
    return new AuditEntryConnection(rows, page);
  }
}
