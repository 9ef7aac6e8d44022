// Compiles clients against schema.graphql and lints it. Prints each client's results, the queries that Relay's compiler
// generated, and the linter's findings: node run.mjs <url> <key>
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { ESLint } from "eslint";
import { buildSchema, parse } from "graphql";
import ts from "typescript";
import { compileStrictly } from "../../support/compile-strictly.mjs";
import { SCHEMA_RULES } from "./schema-rules.mjs";

const [url, key] = process.argv.slice(2);
const folder = fileURLToPath(new URL(".", import.meta.url));
const generated = join(folder, "generated");
const sdl = readFileSync("schema.graphql", "utf8");
const SCALARS = {
  ID: "string",
  DateTimeISO: "string",
  JSON: "unknown",
  JSONObject: "Record<string, unknown>",
};

rmSync(generated, { recursive: true, force: true });
mkdirSync(generated);
for (const part of ["usage", "relay"]) cpSync(join(folder, part), join(generated, part), { recursive: true });
const usage = join(generated, "usage");
writeFileSync(join(generated, "schema.graphql"), sdl);

const results = { relay: compileRelay(), lint: await lint() };
await generateTypes("apollo.ts");
generateTada();
const usages = ["apollo", "urql"];
compileStrictly(
  ts,
  usages.map((name) => join(usage, `${name}.ts`)),
  { skipLibCheck: true },
);
for (const name of usages) results[name] = await (await import(join(usage, `${name}.js`))).use(url, key);
// The generators also print to standard output.
process.stdout.write(`\n${JSON.stringify(results)}`);

/** Runs a program from a package. */
function run(program, ...args) {
  execFileSync(process.execPath, [join(folder, "node_modules", program), ...args], { cwd: generated });
}

/** @returns the queries that Relay's compiler generated for the next page of each connection */
function compileRelay() {
  const config = { src: "relay", schema: "schema.graphql", language: "typescript" };
  writeFileSync(join(generated, "relay.config.json"), JSON.stringify(config));
  run("relay-compiler/cli.js", "relay.config.json");
  const artifacts = readdirSync(join(generated, "relay/__generated__"));
  return artifacts.filter((name) => name.includes("PaginationQuery")).sort();
}

/** @returns graphql-eslint's findings for the schema, with line numbers */
async function lint() {
  const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: [SCHEMA_RULES] });
  const [{ messages }] = await eslint.lintFiles(["schema.graphql"]);
  return messages.map(({ line, ruleId, message }) => `${line}: ${message} (${ruleId})`);
}

/** Generates the types for a usage with the client preset of GraphQL Code Generator. */
async function generateTypes(name) {
  const rawSDL = readFileSync(join(usage, name), "utf8");
  const operations = [...rawSDL.matchAll(/graphql\(`(.*?)`\)/gs)].map(([, text]) => text);
  const schemaAst = buildSchema(sdl);
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: join(usage, "gql/"),
    schema: parse(sdl),
    schemaAst,
    documents: operations.map((text) => ({ location: name, document: parse(text), rawSDL: text })),
    plugins: [],
    pluginMap: {},
    presetConfig: { fragmentMasking: false },
    config: { scalars: SCALARS, strictScalars: true, importExtension: ".js", useTypeImports: true },
  });
  for (const section of sections) {
    mkdirSync(dirname(section.filename), { recursive: true });
    writeFileSync(section.filename, await codegen({ ...section, schemaAst }));
  }
}

/** Generates the types for gql.tada. */
function generateTada() {
  const plugin = {
    name: "gql.tada/ts-plugin",
    schema: "schema.graphql",
    tadaOutputLocation: "usage/graphql-env.d.ts",
  };
  writeFileSync(join(generated, "tsconfig.json"), JSON.stringify({ compilerOptions: { plugins: [plugin] } }));
  run("gql.tada/bin/cli.js", "generate-output", "--tsconfig", "tsconfig.json");
}
