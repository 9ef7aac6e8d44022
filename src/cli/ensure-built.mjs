// Runs before `npm run gateway`: builds the program if that has not been done yet.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

// Standard output belongs to the command, which may print JSON.
if (!existsSync("dist/src/cli/main.js")) execSync("npm run -s build", { stdio: ["ignore", 2, 2] });
