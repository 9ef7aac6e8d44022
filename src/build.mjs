// Builds the program and its pages into dist; with --if-changed, only if their sources changed since the last build.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { filesIn, hashOf, publishPage, replaceFolder } from "./build-page.mjs";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const NEXT = join(DIST, "next");
/** Source hash of the last complete build. */
const STAMP = join(DIST, "src/build.sha256");
const PAGES = ["dashboard", "docs", "graphiql"];
const RESULTS = ["src/main.js", ...PAGES.map((page) => `${page}/index.html`)];

const stamp = hashOf(ROOT, [
  // Excludes generated files, because the build writes them.
  ...filesIn(join(ROOT, "src")).filter((file) => !file.endsWith(".generated.ts")),
  ...["ormconfig.ts", "schema.graphql", "tsconfig.json", "package-lock.json"].map((file) => join(ROOT, file)),
]);
const isBuilt =
  existsSync(STAMP) &&
  readFileSync(STAMP, "utf8") === stamp &&
  RESULTS.every((file) => existsSync(join(DIST, file)));

if (!isBuilt || !process.argv.includes("--if-changed")) {
  // Prints to stderr, because a command that starts with a build may print JSON to stdout.
  process.stderr.write("Building the program and its pages. This can take a minute.\n");
  rmSync(NEXT, { recursive: true, force: true });
  const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
  const compiler = spawn(process.execPath, [tsc, "-p", ROOT, "--outDir", NEXT], { stdio: ["ignore", 2, 2] });
  const compiled = once(compiler, "exit");
  await import("./rest/openapi/viewer/build.mjs");
  await import("./dashboard/build.mjs");
  await import("./graphql/explorer/build.mjs");
  const [code] = await compiled;
  if (code !== 0) process.exit(1);
  writeFileSync(join(NEXT, "src/build.sha256"), stamp);
  for (const page of PAGES) publishPage(page);
  for (const file of ["ormconfig.js", "ormconfig.js.map"]) renameSync(join(NEXT, file), join(DIST, file));
  // Publishes the program last, with the hash of its sources, so that an interrupted build does not look complete.
  replaceFolder(join(NEXT, "src"), join(DIST, "src"));
  rmSync(NEXT, { recursive: true });
}
