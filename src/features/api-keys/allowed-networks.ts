import { getOrCreate } from "../../common/get-or-create";
import { lruCache } from "../../common/lru-cache";
import { canonicalCidr, within } from "../../common/network";
import { GatewayError, type InputProblem } from "../../errors";
import { MAX_NETWORKS } from "./api-key.limits";

const MAX_LISTS = 1_000;

/** Caches parsed lists by column value, because parsing a list takes much longer than checking an address. */
const lists = lruCache<string, readonly string[]>(MAX_LISTS);
const matchers = new WeakMap<readonly string[], (ip: string) => boolean>();

/** Parses a key's network column; equal columns share a list. */
export const networksOf = (column: string | null): readonly string[] | null =>
  column === null ? null : getOrCreate(lists, column, () => column.split(","));

/** Returns the error for an address outside a key's networks (`networksOf`); an unknown address (null) is outside. */
export function addressRejection(
  networks: readonly string[] | null,
  ip: string | null,
): GatewayError | undefined {
  if (networks === null) return undefined;
  const isAllowed = ip !== null && getOrCreate(matchers, networks, within)(ip);
  return isAllowed ? undefined : new GatewayError("address_not_allowed");
}

/** Returns the stored form of networks: distinct and canonical, or null if there are none. */
export function storedNetworks(networks: readonly string[] | null | undefined): string[] | null {
  const canonical = (networks ?? []).map((network) => canonicalCidr(network.trim()) ?? network);
  return canonical.length === 0 ? null : [...new Set(canonical)];
}

/** Returns the first problem with a list of networks; undefined if there is none. */
export function networksProblem(path: string, networks: unknown): InputProblem | undefined {
  if (!Array.isArray(networks)) return undefined;
  if (networks.length > MAX_NETWORKS)
    return { path, message: `must contain at most ${MAX_NETWORKS} networks` };
  const wrong = networks.findIndex((network) => canonicalCidr(String(network).trim()) === undefined);
  return wrong === -1
    ? undefined
    : {
        path: `${path}.${wrong}`,
        message:
          "must be a network in CIDR notation that starts with its first address, such as 10.0.0.0/8, 192.0.2.1/32 or 2001:db8::/32",
      };
}
