// Builds the dashboard into dist/next/dashboard.
import { join } from "node:path";
import { buildPage, filesIn } from "../build-page.mjs";
// Runs before this module.
import "./codegen.mjs";

// Shared with the server.
const shared = filesIn(join(import.meta.dirname, "../features")).filter((file) =>
  /\.(limits|scopes|event-types)\.ts$/.test(file),
);
await buildPage(import.meta.dirname, "dashboard", shared);
