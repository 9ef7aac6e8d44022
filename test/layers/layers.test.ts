import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const CHECK = join(__dirname, "check.mjs");
const LONG_FILES = join(__dirname, "long-files.mjs");

describe("the layer check", () => {
  let src: string;
  beforeEach(() => {
    src = mkdtempSync(join(tmpdir(), "layers-"));
  });
  afterEach(() => rmSync(src, { recursive: true }));

  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(src, name)), { recursive: true });
      writeFileSync(join(src, name), text);
    }
  };
  const check = () => spawnSync(process.execPath, [CHECK, src], { encoding: "utf8" });

  test.each([
    [
      "an import of a layer above",
      {
        "common/a.ts": 'import { b } from "../features/pets/b";',
        "features/pets/b.ts": "export const b = 1;",
      },
      "Upwards: common/a.ts imports features/pets/b.ts.",
    ],
    [
      "an import of a type, over two lines",
      { "auth/a.ts": 'import type {\n  B,\n} from "../rest/b";', "rest/b.ts": "export type B = 1;" },
      "Upwards: auth/a.ts imports rest/b.ts.",
    ],
    [
      "features that need each other",
      {
        "features/pets/a.ts": 'export * from "../agents/b";',
        "features/agents/b.ts": 'export { c } from "../agents/c";',
        "features/agents/c.ts": 'import "../pets/a";',
      },
      "A circle:",
    ],
    [
      "files in one folder that need each other, even for types only",
      {
        "http/a.ts": 'import { b } from "./b";',
        "http/b.ts": 'const { c }: typeof import("./c") = require("./c");',
        "http/c.ts": 'import type { A } from "./a";',
      },
      "A circle:\n  http/a.ts imports http/b.ts\n  http/b.ts imports http/c.ts\n  http/c.ts imports http/a.ts",
    ],
    [
      "a single feature in a file that treats all features alike",
      { "app.ts": 'import "./features/pets/a";', "features/pets/a.ts": "" },
      "One feature: app.ts imports features/pets/a.ts.",
    ],
    [
      "a shared part of the dashboard that needs a page",
      { "dashboard/ui/a.tsx": 'import "../pets/b";', "dashboard/pets/b.tsx": "" },
      "Upwards: dashboard/ui/a.tsx imports dashboard/pets/b.tsx.",
    ],
    [
      "pages that show parts of each other",
      {
        "dashboard/pets/a.tsx": 'import type { B } from "../agents/b";',
        "dashboard/agents/b.tsx": "export type B = 1;",
        "dashboard/agents/c.tsx": 'const d = () => import("../pets/d");',
        "dashboard/pets/d.tsx": "",
      },
      "A circle:\n  dashboard/agents/c.tsx imports dashboard/pets/d.tsx\n  dashboard/pets/a.tsx imports dashboard/agents/b.tsx",
    ],
    [
      "a page that needs more of the server than a file",
      {
        "dashboard/pets/a.tsx": 'import "../../features/pets/b";',
        "features/pets/b.ts": 'import "./c";',
        "features/pets/c.ts": 'import "./d";',
        "features/pets/d.ts": "",
      },
      "Into another program: dashboard/pets/a.tsx imports features/pets/b.ts.",
    ],
    [
      "a page that finds such a file by its name",
      {
        "dashboard/pets/a.tsx": 'import.meta.glob<object>("../../features/*/*.b.ts", { eager: true });',
        "features/pets/pet.b.ts": 'import "./c";',
        "features/pets/c.ts": 'import "./d";',
        "features/pets/d.ts": "",
      },
      "Into another program: dashboard/pets/a.tsx imports features/pets/pet.b.ts.",
    ],
    [
      "a page that loads the dialogs before one is opened",
      {
        "dashboard/pages.tsx": 'const page = () => import("./pets/a");',
        "dashboard/pets/a.tsx": 'import {\n  B,\n} from "./b";\nconst c = () => import("./c");',
        "dashboard/pets/b.tsx": 'import { Dialog } from "../ui/dialog";',
        "dashboard/pets/c.tsx": 'import { Dialog } from "../ui/dialog";',
        "dashboard/ui/dialog.tsx": "",
      },
      "Loaded with a page:\n  dashboard/pets/a.tsx imports dashboard/pets/b.tsx\n  dashboard/pets/b.tsx imports dashboard/ui/dialog.tsx\n",
    ],
    ["a folder that is in no layer", { "elsewhere/a.ts": "" }, "elsewhere/a.ts is in no layer"],
  ])("fails for %s", (_, files, fault) => {
    write(files as Record<string, string>);
    const { status, stderr } = check();
    expect(stderr).toContain(fault);
    expect(status).toBe(1);
  });

  test("passes if imports point downwards", () => {
    write({
      "features/pets/a.ts": 'import { b } from "../../common/b";\nimport { c } from "./c";',
      "features/pets/c.ts": "export const c = 1; // import { x } from '../../rest/x'",
      "common/b.ts": "export const b = 1;",
    });
    expect(execFileSync(process.execPath, [CHECK, src], { encoding: "utf8" })).toContain("0 faults");
  });

  test.each([
    ["a reason", "// One file, because …\n", 251, 0],
    ["no reason", "", 251, 1],
    ["only a description of its first constant", "/** The constant 1. */\n", 251, 1],
    ["no reason, but only 250 lines", "", 250, 0],
  ])("judges a long file with %s", (_, start, lines, status) => {
    write({ "common/a.ts": start.padEnd(start.length + lines, "\n") });
    expect(spawnSync(process.execPath, [LONG_FILES, src]).status).toBe(status);
  });
});
