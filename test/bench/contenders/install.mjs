import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

const changedAt = (file) => statSync(`${FOLDER}${file}`, { throwIfNoEntry: false })?.mtimeMs;

const npm = (...args) => execFileSync("npm", args, { cwd: FOLDER, stdio: ["ignore", "inherit", "inherit"] });

/** Installs the packages at the versions in their lock file, and compiles the contenders written in TypeScript. */
export function installContenders(contenders) {
  const installedAt = changedAt("node_modules/.package-lock.json");
  if (installedAt === undefined || installedAt < changedAt("package-lock.json")) {
    npm("ci", "--no-audit", "--no-fund");
  }
  if (contenders.some(({ entry }) => entry.startsWith("dist/"))) npm("run", "--silent", "build");
}

/** Returns the installed versions of a contender's packages. */
export const versionsOf = ({ packages }) =>
  Object.fromEntries(
    packages.map((name) => [
      name,
      JSON.parse(readFileSync(`${FOLDER}node_modules/${name}/package.json`, "utf8")).version,
    ]),
  );
