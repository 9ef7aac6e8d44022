// Generates types and texts from the *.graphql documents of the dashboard, beside them, so that each page loads only its
// own; with --check, fails if they are stale.
// It uses the API of graphql-codegen, because the dependencies of its CLI do not install beside this project's overrides.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { buildSchema, parse } from "graphql";

const HERE = import.meta.dirname;

const sdl = readFileSync(join(HERE, "../../schema.graphql"), "utf8");
const [schema, schemaAst] = [parse(sdl), buildSchema(sdl)];
const files = readdirSync(HERE, { recursive: true })
  .filter((file) => file.endsWith(".graphql"))
  .sort();

/** Generates the file of a folder: its documents use the fragments of the same folder. */
async function generate(folder) {
  const documents = files
    .filter((file) => dirname(file) === folder)
    .map((file) => {
      const text = readFileSync(join(HERE, file), "utf8");
      return { location: file, document: parse(text), rawSDL: text };
    });
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: "api/",
    schema,
    schemaAst,
    documents,
    plugins: [],
    pluginMap: {},
    presetConfig: { fragmentMasking: false },
    config: {
      documentMode: "string",
      useTypeImports: true,
      enumType: "const",
      strictScalars: true,
      scalars: {
        ID: "string",
        DateTimeISO: "string",
        JSON: "unknown",
        JSONObject: "Record<string, unknown>",
      },
    },
  });
  // The other sections look documents up by their text, so the bundle would contain each text twice.
  const text = await codegen(sections.find(({ filename }) => filename.endsWith("graphql.ts")));
  // One class for the documents of all folders.
  return `// Written by \`npm run fix\` from schema.graphql and the *.graphql files here.\n${text
    .replace(/^export class TypedDocumentString[\s\S]*?^\}\n/m, "")
    .replace(
      /^import type .*DocumentTypeDecoration.*$/m,
      'import { TypedDocumentString } from "../api/typed-document";',
    )}\n`;
}

for (const folder of new Set(files.map((file) => dirname(file)))) {
  const path = join(HERE, folder, "documents.generated.ts");
  const output = await generate(folder);
  if (!process.argv.includes("--check")) writeFileSync(path, output);
  else if (!existsSync(path) || readFileSync(path, "utf8") !== output) {
    console.error(`${relative(process.cwd(), path)} is stale: npm run fix`);
    process.exitCode = 1;
  }
}
