// Runs the usual client generators: an OpenAPI document on standard input, a GraphQL schema as the argument.
import { readFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import { buildSchema, parse } from "graphql";
import openapiTypeScript, { astToString } from "openapi-typescript";

const sdl = readFileSync(process.argv[2], "utf8");
const types = {
  openapi: astToString(await openapiTypeScript(await json(process.stdin))),
  graphql: await codegen({
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: [],
    config: {},
    filename: "types.ts",
    plugins: [{ typescript: {} }],
    pluginMap: { typescript },
  }),
};
process.stdout.write(JSON.stringify(types));
