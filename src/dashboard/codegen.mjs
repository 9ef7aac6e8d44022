// Generates types and query strings from the dashboard's *.graphql documents, one file per folder, so that
// each page loads only its own. Fails if a document does not match schema.graphql. Unchanged files are not
// rewritten. Uses the API of graphql-codegen, because the dependencies of its CLI conflict with this
// project's overrides.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { filesIn, hashOf, read } from "../build-page.mjs";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const SCHEMA = join(ROOT, "schema.graphql");
const GENERATED = "documents.generated.ts";
/** File with the hash of the last run's sources and results. */
const STAMP = join(ROOT, "dist/documents.sha256");

const generatedFiles = () => filesIn(HERE).filter((file) => basename(file) === GENERATED);
const documents = filesIn(HERE).filter((file) => file.endsWith(".graphql"));
const currentStamp = () =>
  hashOf(ROOT, [
    ...[...documents, ...generatedFiles()],
    ...[SCHEMA, join(ROOT, "package-lock.json"), import.meta.filename],
  ]);

if (read(STAMP) !== currentStamp()) {
  const generate = await generator();
  const folders = new Set(documents.map((file) => dirname(file)));
  for (const folder of folders) {
    const path = join(folder, GENERATED);
    const text = await generate(sourcesOf(folder));
    if (read(path) !== text) writeFileSync(path, text);
  }
  for (const path of generatedFiles()) if (!folders.has(dirname(path))) rmSync(path);
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, currentStamp());
}

/** Returns a folder's documents, and other folders' `*.fragments.graphql` whose fragments they use directly. */
function sourcesOf(folder) {
  const own = documents.filter((file) => dirname(file) === folder);
  const text = own.map(read).join("");
  const isUsed = (file) =>
    [...read(file).matchAll(/^fragment (\w+)/gm)].some(([, name]) => text.includes(`...${name}\n`));
  const shared = documents.filter((file) => file.endsWith(".fragments.graphql") && !own.includes(file));
  return [...own, ...shared.filter(isUsed)];
}

/**
 * Creates the generator. Loads its libraries on demand, because loading them takes longer than detecting that
 * nothing has changed.
 * @returns a function that generates a folder's file from its documents and their fragments
 */
async function generator() {
  const { buildSchema, parse, Source } = await import("graphql");
  const { preset } = await import("@graphql-codegen/client-preset");
  const { codegen } = await import("@graphql-codegen/core");
  // The client throws on every error, so a root field that is null only on failure is never null in a result.
  const sdl = read(SCHEMA).replace(/ @semanticNonNull(?!\()/g, "!");
  const [schema, schemaAst] = [parse(sdl), buildSchema(sdl)];

  return async (files) => {
    const sections = await preset.buildGeneratesSection({
      baseOutputDir: "api/",
      schema,
      schemaAst,
      documents: files.map((location) => {
        const text = read(location);
        return { location, document: parse(new Source(text, relative(ROOT, location))), rawSDL: text };
      }),
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
    // Only this section is used. The other sections look up documents by their text, so the bundle would contain
    // each text twice.
    const section = sections.find(({ filename }) => filename.endsWith("graphql.ts"));
    // Passes the built schema, because graphql-codegen would otherwise rebuild it for each folder.
    const text = await codegen({ ...section, schemaAst }).catch(({ message }) => {
      throw new Error(`${message}\nIf the schema has changed, run "npm run fix".`);
    });
    // All folders share one document class, so the generated class is removed.
    return `// Written by the build from schema.graphql and the *.graphql files here.\n${text
      .replace(/^export class TypedDocumentString[\s\S]*?^\}\n/m, "")
      .replace(
        /^import type .*DocumentTypeDecoration.*$/m,
        'import { TypedDocumentString } from "../api/typed-document";',
      )}\n`;
  };
}
