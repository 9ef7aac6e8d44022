// Builds the dashboard into dist/next/dashboard.
import { join } from "node:path";
import { buildPage, filesIn } from "../build-page.mjs";
// Generates code from the dashboard's GraphQL documents. Imports are evaluated before the rest of this
// module.
import "./codegen.mjs";

// The dashboard shares these files with the server.
const shared = filesIn(join(import.meta.dirname, "../features")).filter((file) =>
  /\.(limits|scopes|event-types)\.ts$/.test(file),
);
await buildPage(import.meta.dirname, "dashboard", shared);
