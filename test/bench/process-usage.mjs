import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

// What a process used, as Linux tells in /proc; elsewhere undefined, and the tables have gaps.

const read = (path) => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
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

const cpuOf = (stat) => (Number(stat[11]) + Number(stat[12])) * tick();

/** CPU time (user and system, all threads) that a process has used, in µs. */
export function cpuMicros(pid) {
  const stat = statOf(pid);
  return stat && cpuOf(stat);
}

/** CPU time of a process and all its children, those that have ended included, in µs. */
export function cpuMicrosOfFamily(pid) {
  const parent = statOf(pid);
  if (parent === undefined) return undefined;
  let sum = cpuOf(parent) + (Number(parent[13]) + Number(parent[14])) * tick();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (stat?.[1] === String(pid)) sum += cpuOf(stat);
  }
  return sum;
}

/** CPU time of a process with one thread, in µs: `cpuMicros` counts whole ticks only. */
export function exactCpuMicros(pid) {
  const text = read(`/proc/${pid}/schedstat`);
  return text && Number(text.split(" ")[0]) / 1_000;
}

/** `exactCpuMicros` of each child of a process that lives, by its ID. */
export function exactCpuMicrosOfChildren(pid) {
  const children = readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && statOf(name)?.[1] === String(pid),
  );
  return new Map(children.map((child) => [child, exactCpuMicros(child) ?? 0]));
}

const kibibytes = (pid, field) => {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(read(`/proc/${pid}/status`) ?? "");
  return found ? Number(found[1]) : undefined;
};

/** Memory resident now, in KiB. */
export const residentKibibytes = (pid) => kibibytes(pid, "VmRSS");

/** Most memory resident since `forgetPeak`, in KiB. */
export const peakKibibytes = (pid) => kibibytes(pid, "VmHWM");

/** Lets the peak begin anew; where that is not allowed it stays that of the whole life. */
export function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {}
}
