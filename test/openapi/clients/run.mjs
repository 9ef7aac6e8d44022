// Generates REST clients from the OpenAPI document on standard input, checks their types, and prints what each of them
// and each example of the documentation got from the service: node run.mjs <url> <key> <folder of the examples>
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { generate } from "orval";
import ts from "typescript";

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
compile(usages.map((name) => join(generated, name)));

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
// The generators print, too.
process.stdout.write(`\n${JSON.stringify(results)}`);

/** Checks the types of modules as strictly as TypeScript can, and compiles them in place. */
function compile(files) {
  const program = ts.createProgram(files, {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
  });
  const { diagnostics } = program.emit();
  const faults = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (faults.length === 0) return;
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => "\n",
  };
  throw new Error(ts.formatDiagnostics(faults, host));
}
