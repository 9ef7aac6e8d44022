import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { slowTest } from "../support/slow-test";

/** Writes the two files of the program, like the compiler, and may fail. */
const COMPILER = `
  const { cpSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
  const [, , , root, , next] = process.argv;
  mkdirSync(next + "/src", { recursive: true });
  for (const file of ["src/main", "src/version"]) cpSync(root + "/" + file + ".ts", next + "/" + file + ".js");
  for (const file of ["ormconfig.js", "ormconfig.js.map"]) writeFileSync(next + "/" + file, "");
  if (process.env.FAILS === "compiler") process.exit(1);
`;

/** Builds another page, which contains the program's number. */
const NUMBERED = `
  import { cpSync } from "node:fs";
  cpSync("src/main.ts", "dist/next/dashboard/index.html");
`;

/** Builds the last page, and may fail. Records the program that a server would read at that time. */
const PAGE = `
  import { readFileSync, writeFileSync } from "node:fs";
  const [main, version] = ["main", "version"].map((file) => {
    try { return readFileSync("dist/src/" + file + ".js", "utf8"); } catch { return null; }
  });
  writeFileSync("half-way.json", JSON.stringify([main, version]));
  if (process.env.FAILS === "page") throw new Error("The page has a mistake.");
`;

describe("a build", () => {
  let root: string;
  const path = (name: string) => join(root, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  const build = (number: string, fails = "") => {
    for (const file of ["main", "version"]) write(`src/${file}.ts`, number);
    const env = { ...process.env, FAILS: fails };
    const options = { cwd: root, env, encoding: "utf8" } as const;
    return spawnSync(process.execPath, ["src/build.mjs", "--if-changed"], options);
  };
  const program = () =>
    ["src/main.js", "src/version.js", "dashboard/index.html"].map((file) =>
      readFileSync(path(`dist/${file}`), "utf8"),
    );
  const halfWay = () => JSON.parse(readFileSync(path("half-way.json"), "utf8"));

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "build-"));
    for (const file of ["build.mjs", "build-page.mjs"]) {
      mkdirSync(path("src"), { recursive: true });
      cpSync(join("src", file), path(join("src", file)));
    }
    for (const file of ["ormconfig.ts", "schema.graphql", "tsconfig.json", "package-lock.json"])
      write(file, "");
    write("node_modules/typescript/package.json", '{"name":"typescript"}');
    write("node_modules/typescript/bin/tsc", COMPILER);
    write("src/rest/openapi/viewer/build.mjs", "");
    write("src/dashboard/build.mjs", NUMBERED);
    write("src/graphql/explorer/build.mjs", PAGE);
    build("1");
  });
  afterAll(() => rmSync(root, { recursive: true }));

  slowTest("keeps the program and its pages complete until the next one is complete, and if it fails", () => {
    for (const fails of ["page", "compiler"]) {
      expect(build("2", fails).status).not.toBe(0);
      expect([halfWay(), program()]).toEqual([
        ["1", "1"],
        ["1", "1", "1"],
      ]);
    }
    expect(build("2").status).toBe(0);
    expect([halfWay(), program()]).toEqual([
      ["1", "1"],
      ["2", "2", "2"],
    ]);
  });

  slowTest("completes the work of an earlier build that was killed", () => {
    // Between the two steps that exchange the folders.
    renameSync(path("dist/src"), path("dist/src.old"));
    write("dist/next/src/removed.js", "");
    expect(build("3").status).toBe(0);
    expect(program()).toEqual(["3", "3", "3"]);
    expect(
      ["dist/src/removed.js", "dist/src.old", "dist/next"].filter((name) => existsSync(path(name))),
    ).toEqual([]);
  });

  slowTest("is announced, because it takes a while, unless nothing has changed", () => {
    const announced = { status: 0, stdout: "", stderr: expect.stringMatching(/^Building .*\n$/) };
    for (const page of ["docs", "graphiql"]) write(`dist/${page}/index.html`, "");
    expect(build("4")).toMatchObject(announced);
    expect(build("4")).toMatchObject({ ...announced, stderr: "" });
  });
});
