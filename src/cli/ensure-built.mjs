// Runs before `npm run gateway` and builds the program on first use.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

// Build output goes to stderr, because the command may print JSON to stdout.
if (!existsSync("dist/src/cli/main.js")) execSync("npm run -s build", { stdio: ["ignore", 2, 2] });
