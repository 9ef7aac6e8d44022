import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Parses an address and unwraps IPv4-mapped IPv6, because dual-stack sockets report it. */
const parse = (ip: string | null) => (ip !== null && isIP(ip) !== 0 ? ipaddr.process(ip) : undefined);

/** Returns the first groups of an IPv6 address; undefined for any other address. */
function prefixOf(ip: string | null, groups: number): string | undefined {
  const address = parse(ip);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, groups).join(":") : undefined;
}

/** Returns the IPv4 address, or the /64 network of an IPv6 address, because one client controls all of a /64. */
export const networkOf = (ip: string | null): string => prefixOf(ip, 4) ?? String(parse(ip) ?? ip);

/** Returns the /48 site of an IPv6 address, which providers assign to one customer; undefined for any other address. */
export const siteOf = (ip: string | null): string | undefined => prefixOf(ip, 3);

/** Returns the smallest network that providers assign to one customer: the IPv4 address, or the /48 site in IPv6. */
export const customerNetworkOf = (ip: string | null): string => siteOf(ip) ?? networkOf(ip);

/** True if an address is a loopback address. */
export const isLoopback = (ip: string | undefined): boolean => parse(ip ?? null)?.range() === "loopback";

/** Azure's platform service, a metadata address outside the private ranges. */
const AZURE_PLATFORM = "168.63.129.16";

/** The only IPv6 range assigned to the public Internet; addresses outside it can embed private IPv4 addresses. */
const GLOBAL_IPV6 = "2000::/3";

/** True if an address is a public Internet address, not a private, loopback, link-local, reserved or relay address. */
export const isPublicAddress = (ip: string): boolean => {
  const address = parse(ip);
  if (address?.range() !== "unicast" || address.toString() === AZURE_PLATFORM) return false;
  return address.kind() === "ipv4" || isGlobalIpv6(ip);
};

/** True if a string is a network in CIDR notation, such as `10.0.0.0/8`, without shorthands or octal numbers. */
export function isCidr(text: string): boolean {
  const [address = "", prefix = "", ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && !address.includes("%") && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

/** Prefix length of the IPv4-mapped IPv6 addresses. */
const MAPPED_BITS = 96;

/**
 * Returns the canonical text of a network in CIDR notation, such as `10.0.0.0/8`. A network of IPv4-mapped IPv6
 * addresses becomes the corresponding IPv4 network, because addresses are unwrapped before they are compared.
 * @returns undefined if the text is not a network or does not start with the network's first address
 */
export function canonicalCidr(text: string): string | undefined {
  if (!isCidr(text)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(text);
  if (address instanceof ipaddr.IPv4) {
    return `${address}` === `${ipaddr.IPv4.networkAddressFromCIDR(text)}` ? `${address}/${bits}` : undefined;
  }
  if (`${address}` !== `${ipaddr.IPv6.networkAddressFromCIDR(text)}`) return undefined;
  return address.isIPv4MappedAddress()
    ? `${address.toIPv4Address()}/${bits - MAPPED_BITS}`
    : `${address}/${bits}`;
}

/** True if a network in CIDR notation lies within another one. */
export function isSubnet(network: string, outer: string): boolean {
  const [address, bits] = ipaddr.parseCIDR(network);
  const [first, outerBits] = ipaddr.parseCIDR(outer);
  return address.kind() === first.kind() && bits >= outerBits && address.match(first, outerBits);
}

/** @returns a function that tests whether an address is in one of the networks (CIDR notation) */
export function within(cidrs: readonly string[]): (ip: string) => boolean {
  // Parses the networks only once, because parsing takes much longer than comparing.
  const networks = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return (ip) => {
    const address = parse(ip);
    return networks.some(
      ([network, bits]) => address?.kind() === network.kind() && address.match(network, bits),
    );
  };
}

const isGlobalIpv6 = within([GLOBAL_IPV6]);
