// `npm run test:package`: packs the program, installs the package in an empty folder and starts it there. SQLite's
// binding is copied from the repository, because compiling it takes minutes.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** Max size of a production install (MB). */
const MAX_MEGABYTES = 260;
const START_TIMEOUT_MS = 60_000;

const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
const directory = mkdtempSync(join(tmpdir(), "gateway-package-"));
const app = join(directory, "app");
const npm = (cwd, ...args) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

try {
  const [{ filename, size, entryCount, files }] = JSON.parse(
    npm(ROOT, "pack", "--json", "--silent", "--pack-destination", directory),
  );
  const unexpected = files.map(({ path }) => path).filter((path) => !isExpected(path));
  assert.deepEqual(unexpected, [], "the package has files that it does not need");

  mkdirSync(app);
  const tarball = join(directory, filename);
  assertSbom(JSON.parse(execFileSync(process.execPath, ["deploy/sbom.mjs", tarball], { cwd: ROOT })));
  // Without the lock file, each version must still support the current Node release.
  npm(
    app,
    "install",
    tarball,
    "--engine-strict",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--silent",
  );
  const modules = join(app, "node_modules");
  cpSync(join(ROOT, "node_modules/sqlite3/build"), join(modules, "sqlite3/build"), { recursive: true });
  const packages = assertProduction(modules);
  const megabytes = Math.ceil(sizeOf(modules) / 1_000_000);
  assert.ok(megabytes < MAX_MEGABYTES, `the install takes ${megabytes} MB`);

  await serve(join(modules, ".bin/gateway"));
  process.stdout.write(
    `package: ${entryCount} files, ${Math.ceil(size / 1000)} kB; installed: ${packages} packages, ${megabytes} MB\n`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function isExpected(path) {
  return (
    /^dist\/(src|docs|dashboard|graphiql)\//.test(path) ||
    ["package.json", "npm-shrinkwrap.json", "README.md", "CHANGELOG.md", "LICENSE"].includes(path)
  );
}

/** Checks that a software bill of materials lists exactly the production packages of the lock file. */
function assertSbom({ components }) {
  const production = Object.entries(lock).filter(
    ([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link,
  );
  const locked = production.map(([path, { name, version }]) => `${name ?? nameAt(path)}@${version}`);
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  assert.deepEqual(new Set(listed), new Set(locked));
}

function nameAt(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/**
 * Checks the packages that were installed.
 * @returns their number
 */
function assertProduction(modules) {
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  const { dependencies, devDependencies, overrides } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  for (const name of Object.keys(overrides).filter((each) => each in dependencies)) {
    const copies = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`));
    const versions = copies.map((path) => packages[path].version);
    assert.deepEqual(versions, [dependencies[name]], `${name} is not the one version that overrides name`);
  }
  const paths = Object.keys(packages);
  const development = Object.keys(devDependencies)
    .map((name) => `node_modules/${name}`)
    .filter((path) => lock[path].dev && paths.includes(path));
  assert.deepEqual(development, [], "development dependencies are installed");
  assert.ok(paths.length > 300);
  return paths.length;
}

function sizeOf(path) {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(inner);
    return entry.isFile() ? sum + statSync(inner).size : sum;
  }, 0);
}

/** Starts the server in an empty folder, calls it with the key that it prints, and stops it. */
async function serve(gateway) {
  const cwd = join(directory, "empty");
  mkdirSync(cwd);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME };
  const server = spawn(gateway, ["start"], {
    cwd,
    env: { ...env, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ready = new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the server did not start:\n${output}`)),
      START_TIMEOUT_MS,
    );
    const read = (chunk) => {
      output += chunk;
      if (/GraphQL .* at /.test(output)) {
        clearTimeout(timer);
        resolve();
      }
    };
    for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", read);
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
  });
  try {
    await ready;
    const url = /Dashboard at (\S+)\/dashboard/.exec(output)?.[1];
    const key = /API key +(\S+)/.exec(output)?.[1];
    const whoami = await fetch(`${url}/agent/whoami`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await whoami.json()).agent.slug, "first-agent");
    for (const path of ["/docs", "/docs/viewer.js", "/dashboard", "/graphiql", "/openapi.json", "/readyz"])
      assert.equal((await fetch(url + path)).status, 200, path);
    const keys = JSON.parse(
      execFileSync(gateway, ["keys", "list", "--json"], { cwd, env, encoding: "utf8" }),
    );
    assert.equal(keys.length, 1);
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null], output);
  } finally {
    server.kill("SIGKILL");
  }
}
