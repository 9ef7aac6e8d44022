// `npm run check:layers`: imports point downwards, and no folders or files depend on each other.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/** The layers of src/ from the bottom up: folders, and the files next to them. */
const LAYERS = [
  ["common", "version.ts", "no-inspector.ts", "young-objects.ts"],
  ["credentials"],
  ["errors.ts", "config.ts", "setting-forms.ts", "base-url.ts"],
  ["database", "telemetry", "logger.ts", "exit.ts"],
  ["signals.ts"],
  ["http", "auth", "pagination", "idempotency", "instance-key", "rate-limits", "delivery"],
  ["schema"],
  ["features"],
  ["features.ts"],
  ["graphql", "rest", "mcp"],
  ["bootstrap.ts", "housekeeping.ts", "banner.ts"],
  ["lifecycle.ts"],
  ["app.ts"],
  ["server-process.ts"],
  ["workers"],
  ["serve.ts"],
  ["cli", "main.ts"],
];

/** The files that treat all features alike. */
const GENERIC = ["app.ts", "lifecycle.ts", "housekeeping.ts"];

/** The layers of src/dashboard/, a separate program. Other folders contain pages, and share the parts in `parts`. */
const DASHBOARD = "dashboard";
const PAGES = "folders of pages";
const DASHBOARD_LAYERS = [
  ["store.ts", "codegen.mjs"],
  ["api"],
  ["ui"],
  ["session"],
  ["secrets"],
  ["parts"],
  [PAGES],
  ["pages.tsx"],
  ["palette"],
  ["shell"],
  ["routes.tsx"],
  ["app.tsx", "main.tsx"],
];

/** Modules with much code that pages load only when it is needed. */
const ON_DEMAND = ["ui/dialog.tsx", "configuration/editor/editor.tsx"].map((file) => `${DASHBOARD}/${file}`);

const src = resolve(process.argv[2] ?? "src");
const layersOf = (layers) => new Map(layers.flatMap((names, layer) => names.map((name) => [name, layer])));
const serverLayers = layersOf(LAYERS);
const dashboardLayers = layersOf(DASHBOARD_LAYERS);

const sources = readdirSync(src, { recursive: true })
  .filter((file) => /\.[cm]?tsx?$/.test(file))
  .map((file) => join(src, file));

/** Returns the part of src/ that a file belongs to, such as "http", "errors.ts", "features/pets" or "dashboard/ui". */
function partOf(file) {
  const [top, inner] = relative(src, file).split(sep);
  return top === "features" || top === DASHBOARD ? `${top}/${inner}` : top;
}

/** Returns the layer of a part, and its program. */
function layerOf(part) {
  const [top, inner] = part.split("/");
  if (top !== DASHBOARD) return { program: "server", layer: serverLayers.get(top) };
  const name = dashboardLayers.has(inner) || inner.includes(".") ? inner : PAGES;
  return { program: DASHBOARD, layer: dashboardLayers.get(name) };
}

/** @returns the files that a file imports in any way, or only those that are loaded with it */
function importsOf(file, { areLoaded = false } = {}) {
  const text = readFileSync(file, "utf8").replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  const specifiers = areLoaded
    ? text.matchAll(/^(?:import|export)\b(?! type\b)[^;"'()]*["'](\.{1,2}\/[^"']*)["']/gm)
    : text.matchAll(/\b(?:from|import|require|glob[^(]*)\s*\(?\s*["'](\.{1,2}\/[^"']*)["']/g);
  return [...specifiers].flatMap(([, specifier]) => {
    const path = resolve(dirname(file), specifier);
    const isImported = path.includes("*")
      ? (other) => new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`).test(other)
      : (other) => [path, `${path}.ts`, `${path}.tsx`, join(path, "index.ts")].includes(other);
    return sources.filter(isImported);
  });
}

const faults = [];
/** For each part, the parts that it imports, with one import of each. */
const needs = new Map();
/** For each file, the files that it imports, with the import. */
const fileNeeds = new Map();
for (const file of sources) {
  const imports = new Map(
    importsOf(file).map((other) => [other, `${relative(src, file)} imports ${relative(src, other)}`]),
  );
  fileNeeds.set(file, imports);
  const part = partOf(file);
  const { program, layer } = layerOf(part);
  if (layer === undefined) {
    faults.push(
      `${relative(src, file)} is in no layer: add its folder to ${relative(".", process.argv[1])}.`,
    );
    continue;
  }
  for (const [imported, shown] of imports) {
    const other = partOf(imported);
    if (other === part) continue;
    const { program: ofOther, layer: below } = layerOf(other);
    if (program !== ofOther) {
      // Shared files, such as limits, must not pull more of the server into the pages than files without imports.
      if (importsOf(imported).some((each) => importsOf(each).length > 0))
        faults.push(`Into another program: ${shown}.`);
      continue;
    }
    if (below > layer) faults.push(`Upwards: ${shown}.`);
    if (GENERIC.includes(part) && other.startsWith("features/")) faults.push(`One feature: ${shown}.`);
    const known = needs.get(part) ?? new Map();
    needs.set(part, known.set(other, known.get(other) ?? shown));
  }
}

/** @returns the imports that lead from one part or file to another, by default back to itself, or undefined */
function wayTo(graph, end, at = end, way = [], seen = new Set()) {
  for (const [other, shown] of graph.get(at) ?? []) {
    if (other === end) return [...way, shown];
    if (seen.has(other)) continue;
    seen.add(other);
    const found = wayTo(graph, end, other, [...way, shown], seen);
    if (found) return found;
  }
  return undefined;
}

const reported = new Set();
for (const graph of [needs, fileNeeds]) {
  for (const start of graph.keys()) {
    const circle = wayTo(graph, start);
    const key = circle && [...circle].sort().join();
    if (!circle || reported.has(key)) continue;
    reported.add(key);
    faults.push(`A circle:\n  ${circle.join("\n  ")}`);
  }
}

/** For each file of the dashboard, the files that are loaded with it, with the import. */
const loads = new Map(
  sources
    .filter((file) => relative(src, file).startsWith(DASHBOARD + sep))
    .map((file) => [
      file,
      importsOf(file, { areLoaded: true }).map((other) => [
        other,
        `${relative(src, file)} imports ${relative(src, other)}`,
      ]),
    ]),
);
const pages = fileNeeds.get(join(src, DASHBOARD, "pages.tsx"))?.keys() ?? [];
for (const page of pages) {
  for (const late of ON_DEMAND) {
    const way = wayTo(loads, join(src, late), page);
    if (way) faults.push(`Loaded with a page:\n  ${way.join("\n  ")}`);
  }
}

for (const fault of faults) console.error(fault);
console.log(`${sources.length} files, ${faults.length} faults.`);
process.exitCode = faults.length > 0 ? 1 : 0;
