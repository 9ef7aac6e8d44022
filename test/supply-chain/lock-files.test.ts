import { installed, PROJECTS, resolvePackage } from "./lock";

describe.each(PROJECTS)("$name", (project) => {
  test("holds a SHA-512 of every package that it installs", () => {
    const packages = installed(project);
    expect(packages.length).toBeGreaterThan(300);
    const without = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
    expect(without.map(([folder]) => folder)).toEqual([]);
  });

  test("holds what each package needs on the other platforms, or an install would fail there", () => {
    const needs = installed(project).flatMap(([folder, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => ({ folder, name })),
    );
    expect(needs.filter(({ folder, name }) => resolvePackage(project, folder, name) === undefined)).toEqual(
      [],
    );
  });
});
