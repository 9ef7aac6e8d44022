// Copies the viewer of /docs into dist/next/docs and compresses it, so that the server needs no package for it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compress } from "../../../build-page.mjs";

const HERE = import.meta.dirname;
const OUTPUT = join(HERE, "../../../../dist/next/docs");
const EXPLORER = dirname(createRequire(import.meta.url).resolve("openapi-explorer/package.json"));

const script = readFileSync(join(EXPLORER, "dist/browser/openapi-explorer.min.js"), "utf8");
const license = readFileSync(join(EXPLORER, "LICENSE"), "utf8");
const files = {
  "index.html": readFileSync(join(HERE, "index.html")),
  "viewer.css": readFileSync(join(HERE, "viewer.css")),
  "viewer.js": Buffer.from(`${script}\n${readFileSync(join(HERE, "viewer.js"), "utf8")}`),
  LICENSE: Buffer.from(license),
};

mkdirSync(OUTPUT, { recursive: true });
for (const [name, content] of Object.entries(files)) writeFileSync(join(OUTPUT, name), content);
await Promise.all(["viewer.css", "viewer.js"].map((name) => compress(join(OUTPUT, name))));
