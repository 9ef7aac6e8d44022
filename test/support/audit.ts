import type { TestGateway } from "./gateway";

const LOG = `query ($first: Int, $after: String, $action: AuditAction, $actorId: ID, $targetId: ID,
    $since: DateTimeISO, $until: DateTimeISO) {
  auditLog(first: $first, after: $after, action: $action, actorId: $actorId, targetId: $targetId,
      since: $since, until: $until) {
    nodes { id action actorKind actorId actorName targetId targetName targetHint changes { field before after } detail ip userAgent requestId count createdAt }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Returns one page of the audit log for a member, by default the owner. */
export async function auditPage(
  gateway: TestGateway,
  variables: Record<string, unknown> = {},
  token = gateway.owner,
) {
  const reply = await gateway.graphql(LOG, { first: 100, ...variables }, { token });
  expect(reply.body.errors).toBeUndefined();
  return reply.body.data.auditLog;
}

/** Returns the entries of the audit log, newest first. */
export const auditLog = async (...args: Parameters<typeof auditPage>) => (await auditPage(...args)).nodes;

/** Returns the audited actions on a target, oldest first. */
export const actionsOn = async (gateway: TestGateway, targetId: string, token?: string): Promise<string[]> =>
  (await auditLog(gateway, { targetId }, token)).map(({ action }: { action: string }) => action).reverse();
