import type { EntityManager } from "typeorm";
import type { RequestContext } from "../../auth/context";
import { isSubnet } from "../../common/network";
import { GatewayError } from "../../errors";
import { ApiKey } from "./api-key.entity";

/** Limits on a key's use. */
export type KeyLimits = Pick<ApiKey, "expiresAt" | "allowedNetworks" | "rateLimitPerMinute">;

/** Returns the calling organization key with its current limits, or null. The transaction must have locked the key. */
export async function callingKey(reader: EntityManager, { caller }: RequestContext): Promise<ApiKey | null> {
  return caller.kind === "organizationKey" ? reader.findOneByOrFail(ApiKey, { id: caller.key.id }) : null;
}

/** Returns a new key's limits, with omitted ones inherited from the key that mints it (from `callingKey`). */
export const limitedBy = <Given extends KeyLimits>(minter: KeyLimits | null, given: Given): Given => ({
  ...given,
  expiresAt: given.expiresAt ?? minter?.expiresAt ?? null,
  allowedNetworks: given.allowedNetworks ?? minter?.allowedNetworks ?? null,
  rateLimitPerMinute: given.rateLimitPerMinute ?? minter?.rateLimitPerMinute ?? null,
});

/**
 * Checks that an organization key does not obtain the secret of a key with more access than its own. An agent
 * key's scopes are not compared, because `keys:manage` covers them, but they must be explicit.
 * @param minter from `callingKey`
 * @throws GatewayError `forbidden`
 */
export function assertMayMint(
  minter: (KeyLimits & Pick<ApiKey, "scopes">) | null,
  key: KeyLimits & Pick<ApiKey, "agentId" | "scopes">,
  serverLimit: number,
  verb: "mint" | "rotate",
): void {
  if (minter === null) return;
  const cannot = `An organization key cannot ${verb} a key`;
  if (key.agentId === null) assertHolds(minter, key.scopes ?? [], cannot);
  else if (key.scopes === null) throw new GatewayError("forbidden", `${cannot} without explicit scopes.`);
  assertNotWider(minter, key, serverLimit, `${cannot} with`);
}

/** @throws GatewayError `forbidden` if an organization key lacks a scope */
function assertHolds(minter: Pick<ApiKey, "scopes">, scopes: readonly string[], cannot: string): void {
  const missing = scopes.find((scope) => !minter.scopes?.some((own) => own === scope));
  if (missing !== undefined)
    throw new GatewayError("forbidden", `${cannot} with the scope ${missing}, which it lacks.`);
}

/**
 * Throws `forbidden` if a key is accepted for longer, from more networks or more often than another key.
 * @param serverLimit max requests per minute for a key without its own limit; 0 for no limit
 */
export function assertNotWider(than: KeyLimits, key: KeyLimits, serverLimit: number, cannot: string): void {
  const perMinute = (limit: number | null) => limit ?? (serverLimit || Number.POSITIVE_INFINITY);
  const wider = [
    ...(isLater(key.expiresAt, than.expiresAt) ? ["a later expiry"] : []),
    ...(isWithin(key.allowedNetworks, than.allowedNetworks) ? [] : ["more networks"]),
    ...(perMinute(key.rateLimitPerMinute) > perMinute(than.rateLimitPerMinute)
      ? ["a higher rate limit"]
      : []),
  ];
  if (wider[0] !== undefined) throw new GatewayError("forbidden", `${cannot} ${wider[0]}.`);
}

const isLater = (expiresAt: string | null, than: string | null): boolean =>
  than !== null && (expiresAt === null || expiresAt > than);

const isWithin = (networks: readonly string[] | null, outer: readonly string[] | null): boolean =>
  outer === null || (networks?.every((network) => outer.some((each) => isSubnet(network, each))) ?? false);
