// Writes npm-shrinkwrap.json, the production part of package-lock.json, before packing, because npm ignores the lock file
// and the overrides of a dependency. `--remove` deletes it, because npm prefers it to the lock file.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SHRINKWRAP = join(ROOT, "npm-shrinkwrap.json");

if (process.argv.includes("--remove")) rmSync(SHRINKWRAP, { force: true });
else {
  const { packages, ...lock } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const { devDependencies: _, workspaces: __, ...root } = packages[""];
  const production = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link,
  );
  const shrinkwrap = { ...lock, packages: { "": root, ...Object.fromEntries(production) } };
  writeFileSync(SHRINKWRAP, `${JSON.stringify(shrinkwrap, null, 2)}\n`);
}
