import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(__dirname, "../..");
const FILES = [
  ...["src", "ormconfig.ts", "schema.graphql", "tsconfig.json", "package-lock.json"],
  ...[
    "src/build.sha256",
    "src/main.js",
    "dashboard/index.html",
    "docs/index.html",
    "graphiql/index.html",
  ].map((file) => `dist/${file}`),
];

describe("a start of a built checkout", () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), "built-"));
    for (const file of FILES) cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  /** Runs the first step of `npm start` in the copy, which has no tools, so a build fails. */
  const start = () => {
    try {
      execFileSync(process.execPath, [join(copy, "src/build.mjs"), "--if-changed"], { stdio: "pipe" });
      return "not built again";
    } catch (error) {
      return String(error).includes("Cannot find module 'typescript") ? "built again" : String(error);
    }
  };

  test.each<[string, string, string, (path: string) => void]>([
    ["built again", "a source has changed", "src/main.ts", (path) => writeFileSync(path, "//")],
    ["not built again", "a generated file is gone", "src/dashboard/pets/documents.generated.ts", rmSync],
    ["built again", "the schema has changed", "schema.graphql", (path) => writeFileSync(path, "")],
    ["built again", "a page has changed", "src/dashboard/boot.js", (path) => writeFileSync(path, "//")],
    ["built again", "a source is gone", "src/serve.ts", rmSync],
    ["built again", "dependencies have changed", "package-lock.json", (path) => writeFileSync(path, "{}")],
    ["built again", "a page is missing", "dist/dashboard/index.html", rmSync],
    ["built again", "a build was interrupted", "dist/src/build.sha256", rmSync],
    // The last one, because it shows that the changes before it have been undone.
    ["not built again", "a file is newer", "src/main.ts", (path) => utimesSync(path, 2e9, 2e9)],
  ])("is %s if %s", (outcome, _, file, change) => {
    change(join(copy, file));
    expect(start()).toBe(outcome);
    // Undoes the change, unless the build has begun and removed the hash.
    for (const each of [file, "dist/src/build.sha256"]) cpSync(join(ROOT, each), join(copy, each));
  });
});
