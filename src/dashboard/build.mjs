// Builds the dashboard into dist/dashboard, unless that was built from the same sources.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const OUTPUT = join(ROOT, "dist/dashboard");
const STAMP = `${OUTPUT}.sha256`;

const sources = readdirSync(HERE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .sort();
const hash = createHash("sha256");
for (const file of [...sources, join(ROOT, "package-lock.json")])
  hash.update(file).update(readFileSync(file));
const stamp = hash.digest("hex");

if (read(STAMP) !== stamp || read(join(OUTPUT, "index.html")) === undefined) {
  // Of a build that is broken off nobody shall think that it was this one.
  rmSync(STAMP, { force: true });
  const { build } = await import("vite");
  await build({ configFile: join(HERE, "vite.config.mjs"), logLevel: "warn" });
  for (const name of readdirSync(join(OUTPUT, "assets"))) compress(join(OUTPUT, "assets", name));
  writeFileSync(STAMP, stamp);
}

/** Puts the compressed forms of a file beside it, so that nobody compresses it again for each answer. */
function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

/** The text of a file, undefined when there is none. */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
