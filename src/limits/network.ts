import { isIPv6 } from "node:net";

/** How a socket that listens for both writes an IPv4 address. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** An IPv4 address, or the 64 bits of an IPv6 network: one who has an address in it has the 2^64 others too. */
export function networkOf(ip: string | null): string {
  if (ip === null || MAPPED.test(ip) || !isIPv6(ip)) return String(ip).replace(MAPPED, "");
  const [head = "", tail = ""] = ip.split("::");
  const left = head.split(":");
  const right = tail.split(":");
  const zeros = ip.includes("::") ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0") : [];
  const network = [...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group || "0", 16));
  return network.join(":");
}
