/**
 * `npm run check:contracts`: fails unless the list "What breaks" in the unreleased section of CHANGELOG.md names every
 * breaking change since the last release. With `--record`, records the current contract as that of a release.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { buildSchema } from "graphql";
import { createDocument } from "../openapi/document.mjs";
import { graphqlBreaks, restBreaks, restContract, unnamedBreaks, whatBreaks } from "./breaks.mjs";

const RELEASED_SCHEMA = new URL("released/schema.graphql", import.meta.url);
const RELEASED_REST = new URL("released/rest.json", import.meta.url);

const schemaIn = (file) => buildSchema(readFileSync(file, "utf8"), { assumeValidSDL: true });
const document = createDocument();
const rest = restContract(document);
if (process.argv.includes("--record")) {
  copyFileSync("schema.graphql", RELEASED_SCHEMA);
  writeFileSync(
    RELEASED_REST,
    `${JSON.stringify({ version: document.info.version, contract: rest }, null, 2)}\n`,
  );
} else {
  const { version, contract } = JSON.parse(readFileSync(RELEASED_REST, "utf8"));
  const breaks = [
    ...graphqlBreaks(schemaIn(RELEASED_SCHEMA), schemaIn("schema.graphql")),
    ...restBreaks(contract, rest),
  ];
  const unnamed = unnamedBreaks(breaks, whatBreaks(readFileSync("CHANGELOG.md", "utf8")));
  for (const { coordinate, description } of unnamed)
    console.error(`CHANGELOG.md does not name \`${coordinate}\` under "What breaks": ${description}`);
  console.log(`${breaks.length} breaking changes since ${version}, ${unnamed.length} of them unnamed.`);
  process.exitCode = unnamed.length === 0 ? 0 : 1;
}
