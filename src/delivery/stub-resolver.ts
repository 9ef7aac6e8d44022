import { promises as dns, type LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

/** Limits for a query; with a single DNS server, it fails after 4.5 s, because the second timeout is twice the first. */
const QUERY_LIMITS = { timeout: 1_500, tries: 2 };

/** Codes of a query that was answered: the name has no address, or the DNS servers cannot query its domain. */
const ANSWERED = ["ENOTFOUND", "ENODATA", "EBADNAME", "ESERVFAIL", "EREFUSED"];

/**
 * Resolves a host name from the system's hosts file or with its DNS servers and search domains. `dns.lookup` would keep
 * one of the process's few threads for every name whose DNS servers do not respond, and delay all other names.
 * @returns the addresses, IPv4 first; empty if the name has none or the DNS servers do not respond
 */
export async function resolveHost(host: string): Promise<LookupAddress[]> {
  const name = host.toLowerCase();
  const listed = hostsEntries(await textOf("/etc/hosts"), name);
  if (listed.length > 0) return listed;
  // A new resolver reads the current list of DNS servers and caches nothing.
  const resolver = new dns.Resolver(QUERY_LIMITS);
  for (const candidate of candidatesOf(await textOf("/etc/resolv.conf"), name)) {
    const answers = await Promise.allSettled([resolver.resolve4(candidate), resolver.resolve6(candidate)]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length > 0) return found.map((address) => ({ address, family: isIP(address) }));
    // If no DNS server answers, the name may have an address, so a later candidate could be a different host.
    if (answers.some((answer) => answer.status === "rejected" && !ANSWERED.includes(answer.reason.code)))
      break;
  }
  return [];
}

/** Returns the addresses of a lower-case name in a hosts file, IPv4 first. */
export const hostsEntries = (hosts: string, name: string): LookupAddress[] =>
  hosts
    .split("\n")
    .flatMap((line) => {
      const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
      return names.includes(name) ? [{ address, family: isIP(address) }] : [];
    })
    .filter(({ family }) => family !== 0)
    .sort((a, b) => a.family - b.family);

/** Returns the full names to query for a name, in order, according to the text of a `resolv.conf`. */
export function candidatesOf(conf: string, name: string): string[] {
  if (name.endsWith(".")) return [name];
  const lines = conf.split("\n").map((line) => line.trim().split(/\s+/));
  const [, ...domains] = lines.findLast(([keyword]) => keyword === "search" || keyword === "domain") ?? [];
  const qualified = domains.filter((domain) => domain !== ".").map((domain) => `${name}.${domain}`);
  const minDots = Number(/^options\s.*\bndots:(\d+)/m.exec(conf)?.[1] ?? 1);
  return name.split(".").length > minDots ? [name, ...qualified] : [...qualified, name];
}

const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
