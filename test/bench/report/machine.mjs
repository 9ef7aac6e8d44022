import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { versionsOf } from "../contenders/install.mjs";

const git = (...args) => {
  try {
    return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
};

/** Describes the machine and the settings of a measurement. */
export function circumstances({ engine, contenders, connections, rounds, runs, seconds }, pinning) {
  const commit = git("rev-parse", "--short", "HEAD");
  const changed = git("status", "--porcelain", "--", "src", "package-lock.json") !== "";
  return {
    date: new Date().toISOString(),
    engine,
    machine: {
      cpu: cpus()[0]?.model.trim(),
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 1024 ** 3),
      system: `${type()} ${release()}`,
      loadBefore: loadavg()[0],
    },
    pinning,
    node: process.version,
    product: commit && `${commit}${changed ? " with changes" : ""}`,
    contenders: contenders.map((contender) => ({
      name: contender.name,
      title: contender.title,
      versions: versionsOf(contender),
    })),
    settings: { connections, rounds, runs, seconds },
  };
}
