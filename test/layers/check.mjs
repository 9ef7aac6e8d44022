// `npm run check:layers`: imports point downwards, and no two folders need each other.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/** The layers of src/ from the bottom up: folders, and files that stand beside them. */
const LAYERS = [
  ["common", "version.ts", "no-inspector.ts", "young-objects.ts"],
  ["credentials"],
  ["errors.ts", "config.ts"],
  ["database", "telemetry", "logger.ts", "exit.ts"],
  ["signals.ts"],
  ["http", "auth", "pagination", "idempotency", "instance-key", "rate-limits", "delivery"],
  ["schema"],
  ["features"],
  ["features.ts"],
  ["graphql", "rest", "mcp"],
  ["bootstrap.ts", "housekeeping.ts", "banner.ts"],
  ["background.ts"],
  ["app.ts"],
  ["server-process.ts"],
  ["workers"],
  ["serve.ts"],
  ["cli", "main.ts"],
];

/** A separate program, which a bundler makes. */
const APART = ["dashboard"];

const src = resolve(process.argv[2] ?? "src");
const layerOf = new Map(LAYERS.flatMap((names, layer) => names.map((name) => [name, layer])));

const sources = readdirSync(src, { recursive: true })
  .filter((file) => /\.[cm]?ts$/.test(file) && !APART.includes(file.split(sep)[0]))
  .map((file) => join(src, file));

/** The part of src/ that a file belongs to, such as "http", "errors.ts" or "features/pets". */
function partOf(file) {
  const [top, feature] = relative(src, file).split(sep);
  return top === "features" ? `${top}/${feature}` : top;
}

function importsOf(file) {
  const text = readFileSync(file, "utf8").replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  const specifiers = text.matchAll(/\b(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"']*)["']/g);
  return [...specifiers].flatMap(([, specifier]) => {
    const path = resolve(dirname(file), specifier);
    return sources.filter((other) => [path, `${path}.ts`, join(path, "index.ts")].includes(other));
  });
}

const faults = [];
/** The parts that each part needs, with one import that shows it. */
const needs = new Map();
for (const file of sources) {
  const part = partOf(file);
  const layer = layerOf.get(part.split("/")[0]);
  if (layer === undefined) {
    faults.push(
      `${relative(src, file)} is in no layer: add its folder to ${relative(".", process.argv[1])}.`,
    );
    continue;
  }
  for (const imported of importsOf(file)) {
    const other = partOf(imported);
    if (other === part) continue;
    const shown = `${relative(src, file)} imports ${relative(src, imported)}`;
    if (layerOf.get(other.split("/")[0]) > layer) faults.push(`Upwards: ${shown}.`);
    const known = needs.get(part) ?? new Map();
    needs.set(part, known.set(other, known.get(other) ?? shown));
  }
}

/** @returns the imports that lead from a part back to itself, or undefined */
function circleFrom(start, part = start, way = [], seen = new Set()) {
  for (const [other, shown] of needs.get(part) ?? []) {
    if (other === start) return [...way, shown];
    if (seen.has(other)) continue;
    seen.add(other);
    const circle = circleFrom(start, other, [...way, shown], seen);
    if (circle) return circle;
  }
  return undefined;
}

const reported = new Set();
for (const part of needs.keys()) {
  const circle = circleFrom(part);
  const key = circle && [...circle].sort().join();
  if (!circle || reported.has(key)) continue;
  reported.add(key);
  faults.push(`A circle:\n  ${circle.join("\n  ")}`);
}

for (const fault of faults) console.error(fault);
console.log(`${sources.length} files, ${faults.length} faults.`);
process.exitCode = faults.length > 0 ? 1 : 0;
