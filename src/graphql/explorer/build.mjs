// Builds GraphiQL into dist/next/graphiql.
import { join } from "node:path";
import { buildPage } from "../../build-page.mjs";

await buildPage(import.meta.dirname, "graphiql", [join(import.meta.dirname, "../example.ts")]);
