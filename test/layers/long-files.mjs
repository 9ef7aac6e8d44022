// `npm run check:layers`: a file over 250 lines begins with a comment that gives the reason for its length; the
// description of its first declaration is no such comment.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MAX_LINES = 250;

const src = process.argv[2] ?? "src";
const isSource = (file) => /\.([cm]?[jt]sx?|css)$/.test(file) && !file.includes(".generated.");
const faults = readdirSync(src, { recursive: true })
  .filter(isSource)
  .map((file) => ({ file, text: readFileSync(join(src, file), "utf8") }))
  .filter(({ text }) => text.split("\n").length - 1 > MAX_LINES && !/^\/[/*][^*]/.test(text))
  .map(({ file }) => `${file} has more than ${MAX_LINES} lines: begin it with a comment that says why.`);

for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
