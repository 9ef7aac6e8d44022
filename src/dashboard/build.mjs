// Builds the dashboard into dist/dashboard.
import { join } from "node:path";
import { buildPage, filesIn } from "../build-page.mjs";
// It has run when this module does.
import "./codegen.mjs";

// The limits are shared with the server.
const limits = filesIn(join(import.meta.dirname, "../features")).filter((file) =>
  file.endsWith(".limits.ts"),
);
await buildPage(import.meta.dirname, "dashboard", limits);
