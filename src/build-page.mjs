// Builds a web page, unless its sources are unchanged.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

const ROOT = join(import.meta.dirname, "..");
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/**
 * Files above this size (bytes) are compressed at a lower quality, which takes a tenth of the time for about
 * 8% more bytes.
 */
const LARGE = 400_000;
const FAST_QUALITY = 9;

/**
 * Builds a page with its folder's `vite.config.mjs` into `dist/next`.
 * @param folder the sources
 * @param name name of the output folder
 * @param shared server files that the page imports
 */
export async function buildPage(folder, name, shared = []) {
  const output = join(ROOT, "dist", name);
  const stamp = hashOf(ROOT, [
    ...filesIn(folder),
    ...shared,
    join(ROOT, "package-lock.json"),
    import.meta.filename,
  ]);
  if (read(`${output}.sha256`) === stamp && read(join(output, "index.html")) !== undefined) return;

  const next = join(ROOT, "dist/next", name);
  const { build } = await import("vite");
  await build({
    configFile: join(folder, "vite.config.mjs"),
    build: { outDir: next, emptyOutDir: true },
    logLevel: "warn",
  });
  await Promise.all(readdirSync(join(next, "assets")).map((asset) => compress(join(next, "assets", asset))));
  writeFileSync(`${next}.sha256`, stamp);
}

/** Replaces a page with its new build in `dist/next`, if there is one. */
export function publishPage(name) {
  const [next, output] = ["dist/next", "dist"].map((folder) => join(ROOT, folder, name));
  if (!existsSync(next)) return;
  // Deletes the source hash first, so that an interrupted build does not look complete.
  rmSync(`${output}.sha256`, { force: true });
  replaceFolder(next, output);
  if (existsSync(`${next}.sha256`)) renameSync(`${next}.sha256`, `${output}.sha256`);
}

/** Replaces a folder by renaming, so that a starting server never reads a half-written folder. */
export function replaceFolder(next, current) {
  const old = `${current}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(current)) renameSync(current, old);
  renameSync(next, current);
  rmSync(old, { recursive: true, force: true });
}

/** Hashes the contents of files and their paths relative to a folder. */
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
export async function compress(file) {
  const content = readFileSync(file);
  const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY } = zlib.constants;
  const quality = content.length > LARGE ? FAST_QUALITY : BROTLI_MAX_QUALITY;
  const [br, gz] = await Promise.all([
    brotli(content, { params: { [BROTLI_PARAM_QUALITY]: quality } }),
    gzip(content, { level: 9 }),
  ]);
  writeFileSync(`${file}.br`, br);
  writeFileSync(`${file}.gz`, gz);
}

/** @returns the text of a file; undefined if it does not exist */
export function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
