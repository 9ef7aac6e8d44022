// Generates REST clients from the OpenAPI document on standard input, checks their types, and prints the results of
// each client and each documentation example: node run.mjs <url> <key> <folder of the examples>
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { generate } from "orval";
import ts from "typescript";
import { compileStrictly } from "../../support/compile-strictly.mjs";

const [url, key, examples] = process.argv.slice(2);
const folder = fileURLToPath(new URL(".", import.meta.url));
const generated = join(folder, "generated");
const document = await json(process.stdin);

rmSync(generated, { recursive: true, force: true });
mkdirSync(generated);
writeFileSync(join(generated, "openapi.json"), JSON.stringify(document));
writeFileSync(join(generated, "schema.d.ts"), astToString(await openapiTypeScript(document)));
await createClient({
  input: document,
  output: join(generated, "client"),
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "silent" },
});
await generate({
  input: { target: join(generated, "openapi.json") },
  output: { target: join(generated, "orval-client.ts"), client: "fetch", baseUrl: url },
});
const usages = readdirSync(join(folder, "usage"));
cpSync(join(folder, "usage"), generated, { recursive: true });
compileStrictly(
  ts,
  usages.map((name) => join(generated, name)),
);

const results = {};
for (const name of usages) {
  const { use } = await import(join(generated, name.replace(/ts$/, "js")));
  results[name.replace(".ts", "")] = await use(url, key);
}
cpSync(examples, generated, { recursive: true });
for (const name of readdirSync(examples).filter((each) => each !== "exact-json.js")) {
  const env = { ...process.env, KEY: key };
  results[name] = execFileSync(process.execPath, [join(generated, name)], { env, encoding: "utf8" });
}
// The generators also print to standard output.
process.stdout.write(`\n${JSON.stringify(results)}`);
