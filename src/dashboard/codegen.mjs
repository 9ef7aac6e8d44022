// Generates types and texts from the *.graphql documents of the dashboard; with --check, fails if they are stale.
// It uses the API of graphql-codegen, because the dependencies of its CLI do not install beside this project's overrides.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { buildSchema, parse } from "graphql";

const HERE = import.meta.dirname;
const OUTPUT = join(HERE, "api/documents.generated.ts");

const sdl = readFileSync(join(HERE, "../../schema.graphql"), "utf8");
const documents = readdirSync(HERE, { recursive: true })
  .filter((file) => file.endsWith(".graphql"))
  .sort()
  .map((file) => {
    const text = readFileSync(join(HERE, file), "utf8");
    return { location: file, document: parse(text), rawSDL: text };
  });

const sections = await preset.buildGeneratesSection({
  baseOutputDir: "api/",
  schema: parse(sdl),
  schemaAst: buildSchema(sdl),
  documents,
  plugins: [],
  pluginMap: {},
  presetConfig: { fragmentMasking: false },
  config: {
    documentMode: "string",
    useTypeImports: true,
    enumType: "const",
    strictScalars: true,
    scalars: { ID: "string", DateTimeISO: "string", JSON: "unknown", JSONObject: "Record<string, unknown>" },
  },
});
// The other sections look documents up by their text, so the bundle would contain each text twice.
const section = sections.find(({ filename }) => filename.endsWith("graphql.ts"));
const output = `// Written by \`npm run fix\` from schema.graphql and the *.graphql files here.\n${await codegen(section)}\n`;

if (!process.argv.includes("--check")) writeFileSync(OUTPUT, output);
else if (readFileSync(OUTPUT, "utf8") !== output) {
  console.error(`${relative(process.cwd(), OUTPUT)} is stale: npm run fix`);
  process.exitCode = 1;
}
