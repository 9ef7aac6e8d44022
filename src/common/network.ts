import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An address; as IPv4 where a socket for both families wrote it as IPv4-mapped IPv6. */
const parse = (ip: string | null) => (ip !== null && isIP(ip) !== 0 ? ipaddr.process(ip) : undefined);

/** The first groups of an IPv6 address; undefined for any other address. */
function prefixOf(ip: string | null, groups: number): string | undefined {
  const address = parse(ip);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, groups).join(":") : undefined;
}

/** An IPv4 address, or the /64 network of an IPv6 address: its user has the 2^64 others too. */
export const networkOf = (ip: string | null): string => prefixOf(ip, 4) ?? String(parse(ip) ?? ip);

/** The /48 site of an IPv6 address, which providers hand to one customer; undefined for any other address. */
export const siteOf = (ip: string | null): string | undefined => prefixOf(ip, 3);

/** Whether an address is one of this machine itself. */
export const isLoopback = (ip: string | undefined): boolean => parse(ip ?? null)?.range() === "loopback";
