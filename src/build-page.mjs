// Builds a page for browsers, unless its sources are unchanged.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const ROOT = join(import.meta.dirname, "..");

/**
 * Builds a folder with its `vite.config.mjs`.
 * @param folder the sources
 * @param name name of the output folder in `dist`
 * @param shared server files that the page imports
 */
export async function buildPage(folder, name, shared = []) {
  const output = join(ROOT, "dist", name);
  const stampFile = `${output}.sha256`;
  const stamp = hashOf(ROOT, [
    ...filesIn(folder),
    ...shared,
    join(ROOT, "package-lock.json"),
    import.meta.filename,
  ]);
  if (read(stampFile) === stamp && read(join(output, "index.html")) !== undefined) return;

  // An interrupted build must not look complete.
  rmSync(stampFile, { force: true });
  const next = join(ROOT, "dist/next", name);
  const { build } = await import("vite");
  await build({
    configFile: join(folder, "vite.config.mjs"),
    build: { outDir: next, emptyOutDir: true },
    logLevel: "warn",
  });
  for (const asset of readdirSync(join(next, "assets"))) compress(join(next, "assets", asset));
  replaceFolder(next, output);
  writeFileSync(stampFile, stamp);
}

/** Replaces a folder atomically, so that a starting server never reads half of it. */
export function replaceFolder(next, current) {
  const old = `${current}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(current)) renameSync(current, old);
  renameSync(next, current);
  rmSync(old, { recursive: true, force: true });
}

/** A hash of the names below a folder and the contents of files. */
export function hashOf(root, files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest("hex");
}

export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

/** Writes compressed copies next to a file, so that no request has to compress it. */
function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

/** @returns the text of a file; undefined if it does not exist */
export function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
