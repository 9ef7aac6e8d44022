import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const readOr = (path, missing) => {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return missing;
  }
};

/** Returns the numbers in a list in Linux's format, such as `0-2,4`. */
export const coresIn = (list) =>
  list.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });

/**
 * Divides cores between the servers and everything else. Threads of a core stay on the same side.
 * @param siblingsOf returns the first thread of a thread's core
 * @returns lists for `taskset`, or undefined for fewer than two cores
 */
export function halvesOf(cores, siblingsOf = (core) => core) {
  if (cores.length < 2) return undefined;
  const ordered = [...cores].sort((a, b) => siblingsOf(a) - siblingsOf(b) || a - b);
  const middle = ordered.length >> 1;
  return { servers: ordered.slice(0, middle).join(), others: ordered.slice(middle).join() };
}

const firstSibling = (core) =>
  coresIn(readOr(`/sys/devices/system/cpu/cpu${core}/topology/thread_siblings_list`, `${core}`))[0];

let pinned;

/**
 * Pins this process, and everything that it starts except servers, to one half of the cores; servers get the other
 * half.
 * @returns a sentence that says what was pinned, or why nothing was
 */
export function pin() {
  const allowed = /^Cpus_allowed_list:\s+(\S+)/m.exec(readOr("/proc/self/status", ""))?.[1];
  if (allowed === undefined) return "Nothing was pinned to cores: that needs Linux.";
  const halves = halvesOf(coresIn(allowed), firstSibling);
  if (halves === undefined) return "Nothing was pinned to cores: there is only one.";
  try {
    execFileSync("taskset", ["-a", "-c", "-p", halves.others, String(process.pid)], { stdio: "ignore" });
  } catch {
    return "Nothing was pinned to cores: taskset (util-linux) is missing or was not permitted.";
  }
  pinned = halves.servers;
  return `Pinned with taskset: the measured server to core ${halves.servers}, load generator and database server to ${halves.others}.`;
}

/** Returns the command that starts Node on the cores for servers. */
export const nodeCommand = (args) =>
  pinned === undefined ? [process.execPath, args] : ["taskset", ["-c", pinned, process.execPath, ...args]];
