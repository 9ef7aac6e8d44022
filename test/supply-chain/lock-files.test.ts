import { execFileSync, spawnSync } from "node:child_process";
import { slowTest } from "../support/slow-test";
import { installed, PROJECTS, resolvePackage } from "./lock";

/** Postgraphile requires an earlier version of this peer; an install only warns about it. */
const OTHER_PEER = "@whatwg-node/server@0.11";

test("each lock file of the repository is checked", () => {
  const tracked = execFileSync("git", [
    "ls-files",
    "*package-lock.json",
    "*npm-shrinkwrap.json",
    "*yarn.lock",
  ]);
  expect(PROJECTS.map(({ name }) => name).sort()).toEqual(tracked.toString().trim().split("\n").sort());
});

describe.each(PROJECTS)("$name", (project) => {
  test("contains a SHA-512 of every package that it installs", () => {
    const packages = installed(project);
    expect(packages.length).toBeGreaterThan(300);
    const without = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
    expect(without.map(([folder]) => folder)).toEqual([]);
  });

  test("contains the dependencies of each package on all platforms, where an install would otherwise fail", () => {
    const needs = [...project.packages].flatMap(([folder, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => ({ folder, name })),
    );
    expect(needs.length).toBeGreaterThan(300);
    expect(needs.filter(({ folder, name }) => resolvePackage(project, folder, name) === undefined)).toEqual(
      [],
    );
  });

  slowTest("contains versions that package.json and the packages accept", () => {
    const args = ["ls", "--all", "--package-lock-only", "--json"];
    const { stdout } = spawnSync("npm", args, { cwd: project.folder, maxBuffer: 2 ** 26 });
    const { problems = [] } = JSON.parse(stdout.toString()) as { problems?: string[] };
    expect(problems.filter((problem) => !problem.startsWith(`invalid: ${OTHER_PEER}`))).toEqual([]);
  });
});
