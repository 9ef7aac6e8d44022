import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

// The resource usage of processes, from Linux's /proc; undefined on other systems, which leaves gaps in the tables.

const read = (path) => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
};

const list = (folder) => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

let microsPerTick;
const tick = () => {
  microsPerTick ??= 1e6 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "latin1" }));
  return microsPerTick;
};

/** Returns the fields of /proc/<pid>/stat after the name, which may contain spaces; the first one is the state. */
const statOf = (pid) => {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
};

/**
 * Returns the CPU time (user and system) of a process's threads (µs). The scheduler's count is exact, whereas
 * /proc/<pid>/stat counts in ticks of 10 ms.
 */
export function cpuMicros(pid) {
  const folder = `/proc/${pid}/task`;
  const counts = list(folder).map((thread) => read(`${folder}/${thread}/schedstat`)?.split(" ")[0]);
  return counts.length > 0 ? counts.reduce((sum, count) => sum + Number(count ?? 0), 0) / 1_000 : undefined;
}

/** Returns `cpuMicros` of each live child of a process, by process ID. */
export function cpuMicrosOfChildren(pid) {
  const children = list("/proc").filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === String(pid));
  return new Map(children.map((child) => [child, cpuMicros(child) ?? 0]));
}

/** Returns the CPU time of a process and all its children, including children that have exited (µs). */
export function cpuMicrosOfFamily(pid) {
  const parent = statOf(pid);
  if (parent === undefined) return undefined;
  const ended = (Number(parent[13]) + Number(parent[14])) * tick();
  return [...cpuMicrosOfChildren(pid).values()].reduce((sum, cpu) => sum + cpu, cpuMicros(pid) + ended);
}

const kibibytes = (pid, field) => {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(read(`/proc/${pid}/status`) ?? "");
  return found ? Number(found[1]) : undefined;
};

/** Returns the current resident memory (KiB). */
export const residentKibibytes = (pid) => kibibytes(pid, "VmRSS");

/** Returns the peak resident memory since `forgetPeak` (KiB). */
export const peakKibibytes = (pid) => kibibytes(pid, "VmHWM");

/** Resets the peak; if that is not allowed, the peak still counts from the start of the process. */
export function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {}
}
