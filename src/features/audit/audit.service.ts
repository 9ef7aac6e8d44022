import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { createdBetween } from "../../pagination/created-between";
import { listPage } from "../../pagination/list-page";
import { AuditEntryConnection, type AuditLogArgs } from "./audit.inputs";
import { AuditEntry } from "./audit-entry.entity";

/** Reads the audit log; `recordAudit` writes it. */
export class AuditService {
  constructor(private readonly database: Database) {}

  /**
   * Returns one page of the organization's audit log, newest first.
   * @throws GatewayError `invalid_cursor`
   */
  list(context: RequestContext, args: AuditLogArgs): Promise<AuditEntryConnection> {
    const { action, actorId, targetId, since, until } = args;
    const matching = (reader: EntityManager) => {
      // Only UUIDs can match, and PostgreSQL would reject NUL characters.
      if ([actorId, targetId].some((id) => id != null && !isUuid(id))) return null;
      const query = reader
        .createQueryBuilder(AuditEntry, "entry")
        .where({ organizationId: organizationOf(context) });
      // Only the first, most selective filter may use its index; `|| ''` prevents SQLite from choosing
      // another filter's index.
      const filters = Object.entries({ target_id: targetId, actor_id: actorId, action });
      for (const [i, [column, value]] of filters.filter(([, value]) => value != null).entries())
        query.andWhere(`entry.${column}${i === 0 ? "" : " || ''"} = :${column}`, { [column]: value });
      return createdBetween(query, { since, until });
    };
    const list = { matching, order: "DESC", mayReadMany: true } as const;
    return listPage(this.database, context, AuditEntryConnection, args, list);
  }
}
