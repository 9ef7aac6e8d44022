import "reflect-metadata";
import { readFileSync, writeFileSync } from "node:fs";
import { createSchema, printSorted } from "./schema";

const FILE = "schema.graphql";

/** `node emit-schema.js` writes schema.graphql; with `--check`, it fails if the file is stale. */
const text = printSorted(createSchema());
if (!process.argv.includes("--check")) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, "utf8") !== text) {
  console.error(`${FILE} is stale: run "npm run fix" and commit it.`);
  process.exitCode = 1;
}
