import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Installs the packages of a folder at the versions in its lock file, unless they are already installed. */
export async function installPackages(folder: string): Promise<void> {
  const changedAt = (file: string) =>
    stat(join(folder, file)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  if ((await changedAt("node_modules/.package-lock.json")) >= (await changedAt("package-lock.json"))) return;
  const args = ["ci", "--no-audit", "--no-fund", "--no-workspaces", "--ignore-scripts", "--prefer-offline"];
  await promisify(execFile)("npm", args, { cwd: folder });
}
