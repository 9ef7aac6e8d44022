import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

// The resources that a process used, from Linux's /proc; undefined elsewhere, which leaves gaps in the tables.

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

/** The fields of /proc/<pid>/stat after the name, which may hold spaces: the first is the state. */
const statOf = (pid) => {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
};

/**
 * CPU time (user and system) that the threads of a process have used, in µs. The scheduler's count is exact; that of
 * /proc/<pid>/stat has whole ticks, which are 1 % of a second.
 */
export function cpuMicros(pid) {
  const folder = `/proc/${pid}/task`;
  const counts = list(folder).map((thread) => read(`${folder}/${thread}/schedstat`)?.split(" ")[0]);
  return counts.length > 0 ? counts.reduce((sum, count) => sum + Number(count ?? 0), 0) / 1_000 : undefined;
}

/** `cpuMicros` of each child of a process that lives, by its ID. */
export function cpuMicrosOfChildren(pid) {
  const children = list("/proc").filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === String(pid));
  return new Map(children.map((child) => [child, cpuMicros(child) ?? 0]));
}

/** CPU time of a process and all its children, including ended ones, in µs. */
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

/** Memory resident now, in KiB. */
export const residentKibibytes = (pid) => kibibytes(pid, "VmRSS");

/** Most memory resident since `forgetPeak`, in KiB. */
export const peakKibibytes = (pid) => kibibytes(pid, "VmHWM");

/** Resets the peak; where that is not allowed, it counts from the start of the process. */
export function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {}
}
