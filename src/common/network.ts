import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Parses an address and unwraps IPv4-mapped IPv6, which dual-stack sockets report. */
const parse = (ip: string | null) => (ip !== null && isIP(ip) !== 0 ? ipaddr.process(ip) : undefined);

/** The first groups of an IPv6 address; undefined for any other address. */
function prefixOf(ip: string | null, groups: number): string | undefined {
  const address = parse(ip);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, groups).join(":") : undefined;
}

/** The IPv4 address, or the /64 network of an IPv6 address, because one client controls all of a /64. */
export const networkOf = (ip: string | null): string => prefixOf(ip, 4) ?? String(parse(ip) ?? ip);

/** The /48 site of an IPv6 address, which providers assign to one customer; undefined for any other address. */
export const siteOf = (ip: string | null): string | undefined => prefixOf(ip, 3);

/** Whether an address is a loopback address. */
export const isLoopback = (ip: string | undefined): boolean => parse(ip ?? null)?.range() === "loopback";
