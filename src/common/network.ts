import { isIPv6 } from "node:net";

/** How a socket that listens for both writes an IPv4 address. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** The eight groups of an IPv6 address; undefined for any other address. */
function groupsOf(ip: string | null): number[] | undefined {
  if (ip === null || MAPPED.test(ip) || !isIPv6(ip)) return undefined;
  const [head = "", tail = ""] = ip.split("::");
  const left = head.split(":");
  const right = tail.split(":");
  const zeros = ip.includes("::") ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0") : [];
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group || "0", 16));
}

/** An IPv4 address, or the /64 network of an IPv6 address: its user has the 2^64 others too. */
export const networkOf = (ip: string | null): string =>
  groupsOf(ip)?.slice(0, 4).join(":") ?? String(ip).replace(MAPPED, "");

/** The /48 site of an IPv6 address, which providers hand to one customer; undefined for any other address. */
export const siteOf = (ip: string | null): string | undefined => groupsOf(ip)?.slice(0, 3).join(":");
