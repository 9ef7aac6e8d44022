import type { EntityManager } from "typeorm";
import { OperationUse } from "./operation-use.entity";
import type { OperationUseOfKey } from "./usage.types";

/** A sum over days; PostgreSQL's driver returns it as a string. */
interface Row extends Pick<OperationUse, "operation" | "ip" | "outcome" | "lastUsedAt"> {
  uses: number | string;
}

/**
 * Returns the uses of an organization's key since a day, most recent first.
 * @param since start of the first day
 * @param first max entries
 */
export async function reportOperations(
  reader: EntityManager,
  { first, ...parameters }: { organizationId: string; keyId: string; since: string; first: number },
): Promise<OperationUseOfKey[]> {
  const rows = await reader
    .createQueryBuilder(OperationUse, "used")
    .innerJoin("used.key", "key")
    .select("used.operation", "operation")
    .addSelect("used.ip", "ip")
    .addSelect("used.outcome", "outcome")
    .addSelect("SUM(used.uses)", "uses")
    .addSelect("MAX(used.last_used_at)", "lastUsedAt")
    .where(
      "key.organization_id = :organizationId AND used.key_id = :keyId AND used.day >= :since",
      parameters,
    )
    .groupBy("used.operation, used.ip, used.outcome")
    .orderBy("MAX(used.last_used_at)", "DESC")
    .addOrderBy("used.operation")
    .addOrderBy("used.ip")
    .addOrderBy("used.outcome")
    .limit(first)
    .getRawMany<Row>();
  return rows.map(({ operation, ip, outcome, uses, lastUsedAt }) => ({
    operation: operation || null,
    ip: ip || null,
    outcome: outcome || null,
    uses: Number(uses),
    lastUsedAt,
  }));
}
