// Prints the software bill of materials (CycloneDX) of a packed package: `node deploy/sbom.mjs <file>.tgz`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "gateway-sbom-"));
try {
  execFileSync("tar", ["xzf", process.argv[2], "-C", folder, "--strip-components=1"]);
  const file = join(folder, "package.json");
  // npm drops packages that are also development dependencies, and rejects a shrinkwrap without them.
  const { devDependencies: _, ...production } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify(production));
  execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"], {
    cwd: folder,
    stdio: "inherit",
  });
} finally {
  rmSync(folder, { recursive: true });
}
