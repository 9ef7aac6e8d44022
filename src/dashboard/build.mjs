// Builds the dashboard into dist/dashboard, unless the sources are unchanged.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const OUTPUT = join(ROOT, "dist/dashboard");
const STAMP = `${OUTPUT}.sha256`;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
// The limits are shared with the server.
const limits = filesIn(join(HERE, "../features")).filter((file) => file.endsWith(".limits.ts"));
const hash = createHash("sha256");
for (const file of [...filesIn(HERE), ...limits, join(ROOT, "package-lock.json")])
  hash.update(file).update(readFileSync(file));
const stamp = hash.digest("hex");

if (read(STAMP) !== stamp || read(join(OUTPUT, "index.html")) === undefined) {
  // A build that is interrupted must not look complete.
  rmSync(STAMP, { force: true });
  const { build } = await import("vite");
  await build({ configFile: join(HERE, "vite.config.mjs"), logLevel: "warn" });
  for (const name of readdirSync(join(OUTPUT, "assets"))) compress(join(OUTPUT, "assets", name));
  writeFileSync(STAMP, stamp);
}

/** Writes the compressed forms of a file beside it, so that no request has to compress it. */
function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

/** The text of a file, undefined if it does not exist. */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
